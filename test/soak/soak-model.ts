/** A model that never runs out of responses: short texts, long texts, or a command if the prompt asks for one. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject, parseJson } from "../support/json.ts";
import {
  functionCallDone,
  type ModelEvent,
  messageReply,
  reply,
  streamedReply,
} from "../support/model-events.ts";

export interface SoakModel {
  readonly url: string;
  close(): Promise<void>;
}

/** The prefix of a prompt for which the model runs a command. */
export const RUN = "run:";
const WORDS = Array.from({ length: 200 }, (_, at) => `word${at} `);

export async function openSoakModel(): Promise<SoakModel> {
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on("error", () => undefined);
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      count += 1;
      const events = answerTo(Buffer.concat(chunks).toString(), String(count));
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events)
        response.write(`event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo(text: string, id: string): readonly ModelEvent[] {
  const body = parseJson(text);
  const input = isObject(body) && Array.isArray(body["input"]) ? (body["input"] as unknown[]) : [];
  const last = input.at(-1);
  const said = JSON.stringify(last ?? "");
  const isResult = isObject(last) && last["type"] === "function_call_output";
  const command = { cmd: "echo hello; ls / | head -3" };
  let given = messageReply(`Reply ${id}`, { id });
  if (!isResult && said.includes(RUN))
    given = reply(id, functionCallDone(`call_${id}`, "exec_command", command));
  else if (Number(id) % 10 === 0) given = streamedReply(WORDS, id);
  return "events" in given ? given.events : [];
}
