/** Short ways to write the steps of scenarios about threads that are resumed. */

import { type ModelConfig, modelConfig } from "../../support/model-config.ts";
import { messageReply } from "../../support/model-events.ts";
import type { CallStep, Step } from "../scenario.ts";
import { call, initialize } from "../steps.ts";
import { CURSORS } from "./thread-list.ts";
import { type StoredThread, storedFiles, threadId } from "./thread-list-files.ts";

export const REPLIES = ["1", "2", "3"].map((id) => messageReply("Done", { id }));

/** What a cursor says is every server's own business. */
export const RESUME_CURSORS = [
  ...CURSORS,
  { message: "**response **", pointer: "/result/turnsBackwardsCursor" },
  { message: "**response **", pointer: "/result/itemsBackwardsCursor" },
];

export const ID = threadId(1);
export const PAGINATED: StoredThread = { id: ID, at: "2026-01-05T12:00:01", said: ["one", "two"] };
export const LEGACY: StoredThread = { ...PAGINATED, id: threadId(2), mode: "legacy" };
export const EMPTY: StoredThread = { ...PAGINATED, said: [] };
/** A thread of another program, whose turn has no beginning and no end. */
export const FOREIGN: StoredThread = {
  ...EMPTY,
  mode: "legacy",
  meta: { cwd: "/", cli_version: "0.0.0", source: "cli", originator: "somebody" },
};

/** What only goes with a full history is left to the scenarios about it. */
export const BARE = { excludeTurns: true };

type Params = Readonly<Record<string, unknown>>;

export function resume(id: string, params: Params = {}, options: Partial<CallStep> = {}): CallStep {
  return call("thread/resume", { threadId: id, ...params }, { as: "resume", settles: true, ...options });
}

/** Another server on the same home, perhaps with another configuration. */
export function restarted(config?: string): readonly Step[] {
  const write: readonly Step[] =
    config === undefined ? [] : [{ do: "write", path: "home/config.toml", text: config }];
  return [...write, { do: "restart" }, initialize({ experimentalApi: true }, { as: "initialize again" })];
}

/** The usual configuration, for a scenario that writes it anew or without its sandbox. */
export function configText({ root = "", tables = "" }: ModelConfig, sandbox = true): string {
  const text = modelConfig("{{model}}", { root, tables: `[skills.bundled]\nenabled = false\n${tables}` });
  return sandbox ? text : text.replace(/^sandbox_mode.*\n/mu, "");
}

type Line = { readonly type: string; readonly payload: Params };

export const event = (type: string, payload: Params): Line => ({
  type: "event_msg",
  payload: { type, ...payload },
});
export const started = (turnId: string): Line => event("task_started", { turn_id: turnId });

/** That so many tokens have been used, the half of them at last. */
export const used = (tokens: number): Line => {
  const usage = (total: number) => ({
    input_tokens: total - 30,
    cached_input_tokens: 20,
    cache_write_input_tokens: 0,
    output_tokens: 30,
    reasoning_output_tokens: 10,
    total_tokens: total,
  });
  const info = {
    total_token_usage: usage(tokens),
    last_token_usage: usage(tokens / 2),
    model_context_window: 200_000,
  };
  return event("token_count", { info, rate_limits: null });
};

/** What a user said, as it stands in files whose turns have no beginning. */
export const said = (text: string, more: Params = {}): readonly Line[] => [
  {
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
  },
  event("user_message", { message: text, kind: "plain", ...more }),
];

/** The file of a thread that goes on with these lines. */
export function continued(thread: StoredThread, ...lines: readonly Line[]): Readonly<Record<string, string>> {
  const [[path, text] = ["", ""]] = Object.entries(storedFiles(thread));
  const first = text.split("\n").length - 1;
  const more = lines.map((line, at) => {
    const ordinal = thread.mode === "legacy" ? {} : { ordinal: first + at };
    return `${JSON.stringify({ timestamp: `${thread.at}.500Z`, ...ordinal, ...line })}\n`;
  });
  return { [path]: text + more.join("") };
}
