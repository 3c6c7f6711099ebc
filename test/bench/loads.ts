/** The loads that lines and operations of the benchmark put on a server. */
import {
  functionCallDone,
  messageReply,
  responseCompleted,
  responseCreated,
} from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import type { ModelReply } from "../support/scripted-model.ts";
import type { Wire } from "../support/wire.ts";
import { within } from "../support/within.ts";
import { CLIENT, pause } from "./bench.ts";

/** The peer refuses what comes when more than 128 messages wait. */
const IN_FLIGHT = 64;
/** Until then a server has done what it does behind the answer to initialize. */
const AFTER_START_MS = 200;

/** The handshake without a client, so that nothing but the server reads what is sent later. */
export async function initialize(wire: Wire): Promise<void> {
  const answered = new Promise<void>((resolve) => {
    wire.onText((text) => {
      if (text.includes('"id":0')) resolve();
    });
  });
  wire.send(JSON.stringify({ id: 0, method: "initialize", params: CLIENT }));
  await within(answered, 10_000, "the answer to initialize");
  await pause(AFTER_START_MS);
}

/** Sends that many requests, never more in flight than allowed, and counts the answers without reading them. */
export async function pump(wire: Wire, count: number): Promise<void> {
  const done = new Promise<void>((resolve) => {
    let sent = 0;
    let answered = 0;
    const send = (): void => {
      sent += 1;
      wire.send(`{"id":${1_000_000 + sent},"method":"thread/loaded/list","params":{}}`);
    };
    wire.onText((text) => {
      if (answered >= count || !text.includes('"id"')) return;
      answered += 1;
      if (sent < count) send();
      if (answered === count) resolve();
    });
    for (let index = 0; index < IN_FLIGHT; index += 1) send();
  });
  await within(done, 60_000, `${count} answers`);
}

/** For each turn a command, then a word about it. */
export function shellReplies(turns: number): ModelReply[] {
  return Array.from({ length: turns }, (_, turn) => [
    {
      events: [
        responseCreated(`resp_a${turn}`),
        functionCallDone(`call_${turn}`, "exec_command", { cmd: "echo hello" }),
        responseCompleted(`resp_a${turn}`),
      ],
    },
    messageReply("Done", { id: `b${turn}` }),
  ]).flat();
}

/** Every thread starts its next turn as soon as its last one has ended; resolves when all turns have ended. */
export async function takeTurnsAtOnce(
  client: RpcClient,
  threads: readonly string[],
  turnsEach: number,
): Promise<void> {
  const left = new Map(threads.map((threadId) => [threadId, turnsEach]));
  const startTurn = (threadId: string) =>
    client.wire.send(
      JSON.stringify({
        id: `turn-${threadId}`,
        method: "turn/start",
        params: { threadId, input: [{ type: "text", text: "Hello" }] },
      }),
    );
  const allDone = new Promise<void>((resolve) => {
    client.skip((text) => {
      if (!text.startsWith('{"method":"turn/completed"')) return true;
      const threadId = /"threadId":"([^"]+)"/u.exec(text)?.[1] ?? "";
      const more = (left.get(threadId) ?? 0) - 1;
      left.set(threadId, more);
      if (more > 0) startTurn(threadId);
      else if (more === 0) left.delete(threadId);
      if (left.size === 0) resolve();
      return true;
    });
  });
  for (const threadId of threads) startTurn(threadId);
  await within(allDone, 120_000, "the end of all turns");
}
