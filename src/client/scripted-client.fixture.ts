/** A client on a scripted server, with the messages of a thread and its turn. */
import { onTestFinished } from "vitest";
import type { Turn } from "../protocol/generated/types.ts";
import { type ClientOptions, openClient } from "./client.ts";
import { type AnswerRequest, createScriptedServer, type ReceivedRequest } from "./scripted-server.fixture.ts";

export const FAST = { firstDelayMs: 1, forMs: 5000 };

export async function openScripted(
  answer: AnswerRequest,
  { reconnect = null as typeof FAST | null, ...options }: Own = {},
) {
  const server = createScriptedServer(answer);
  const client = await openClient({ open: server.open, reconnect }, { onWarning() {}, ...options });
  onTestFinished(() => client.close());
  return { server, client };
}
type Own = ClientOptions & { reconnect?: typeof FAST | null };

export const turn = (status: Turn["status"], more: object = {}) => ({
  id: "turn",
  status,
  items: [],
  ...more,
});
export const completed = (status: Turn["status"] = "completed", more: object = {}) => ({
  method: "turn/completed",
  params: { threadId: "t", turn: turn(status, more) },
});
export const thread = ({ id }: ReceivedRequest) => ({ id, result: { thread: { id: "t" } } });
export const begun = ({ id }: ReceivedRequest) => ({ id, result: { turn: turn("inProgress") } });
