/** A model that writes its answer at a steady rate, as real ones do. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type ModelEvent,
  messageDone,
  responseCompleted,
  responseCreated,
} from "../../support/model-events.ts";

export interface Pace {
  readonly deltasPerSecond: number;
  readonly seconds: number;
}

export interface PacedModel {
  readonly url: string;
  /** The pace of the answers that begin from now on. */
  setPace(pace: Pace): void;
  close(): Promise<void>;
}

/** Deltas of this time are written together, as a network delivers them. */
const TICK_MS = 10;
const WORDS = [
  "the ",
  "retry ",
  "budget ",
  "is ",
  "`shared` ",
  "by ",
  "both ",
  "**providers**, ",
  "so ",
  "that\n\n",
];

export async function openPacedModel(first: Pace): Promise<PacedModel> {
  let pace = first;
  let answers = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      answers += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      writeAnswer(response, String(answers), pace);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    setPace(next) {
      pace = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function writeAnswer(response: ServerResponse, id: string, { deltasPerSecond, seconds }: Pace): void {
  const item = `msg_${id}`;
  const total = Math.round(deltasPerSecond * seconds);
  const wordAt = (index: number): string => WORDS[index % WORDS.length] ?? "";
  const send = (...events: readonly ModelEvent[]): void =>
    void response.write(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
    );
  send(responseCreated(`resp_${id}`), {
    type: "response.output_item.added",
    item: { type: "message", role: "assistant", id: item, content: [] },
  });
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - start) / 1000) * deltasPerSecond));
    const deltas = Array.from({ length: due - sent }, (_, index) => ({
      type: "response.output_text.delta",
      item_id: item,
      delta: wordAt(sent + index),
    }));
    sent = due;
    if (deltas.length > 0) send(...deltas);
    if (sent < total) return;
    clearInterval(timer);
    send(
      messageDone(item, Array.from({ length: total }, (_, at) => wordAt(at)).join("")),
      responseCompleted(`resp_${id}`),
    );
    response.end();
  }, TICK_MS);
  response.once("close", () => clearInterval(timer));
}
