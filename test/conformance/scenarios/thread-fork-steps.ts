/** Steps and files that scenarios about forks share. */
import { messageReply } from "../../support/model-events.ts";
import type { Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { pathOf, type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

type More = Readonly<Record<string, unknown>>;

export const UNKNOWN = "00000000-0000-7000-8000-000000000000";
export const PAGINATED: StoredThread = {
  id: threadId(1),
  at: "2026-01-05T12:00:01",
  said: ["one", "two", "three"],
};
export const LEGACY: StoredThread = { ...PAGINATED, id: threadId(2), mode: "legacy" };
export const REPLIES = ["1", "2", "3", "4"].map((id) => messageReply("Done", { id }));

export const fork = (source: string, more: More = {}, as = "fork"): Step =>
  call("thread/fork", { threadId: source, ...more }, { as, settles: true });
export const idOf = (label: string) => `{{${label}.result.thread.id}}`;
export const turns = (label: string, as: string): Step =>
  call("thread/turns/list", { threadId: idOf(label), itemsView: "full" }, { as });
export const read = (label: string, as: string): Step =>
  call("thread/read", { threadId: idOf(label) }, { as });
export const list = (as: string): Step => call("thread/list", {}, { as });
export const unchanged = (thread: StoredThread, files: Readonly<Record<string, string>>): Step => ({
  do: "read",
  path: pathOf(thread),
  as: "text",
  expect: files[pathOf(thread)],
});
export const again: readonly Step[] = [
  { do: "restart" },
  initialize({ experimentalApi: true }, { as: "initialize again" }),
];

/** The thread's file with more lines at its end. */
export function grown(thread: StoredThread, ...payloads: readonly More[]): Readonly<Record<string, string>> {
  const text = storedFiles(thread)[pathOf(thread)] ?? "";
  const start = text.split("\n").length - 1;
  const added = payloads.map((payload, index) => {
    const ordinal = thread.mode === "legacy" ? {} : { ordinal: start + index };
    const type = payload["role"] === undefined ? "event_msg" : "response_item";
    return `${JSON.stringify({ timestamp: "2026-01-05T13:00:00.000Z", ...ordinal, type, payload })}\n`;
  });
  return { [pathOf(thread)]: text + added.join("") };
}

/** A message as the model is told it. */
export const said = (text: string) => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
