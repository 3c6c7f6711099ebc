/** Rollout files that another program wrote into a home, one thread each. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type StoredRollout = {
  readonly id: string;
  readonly createdAtMs: number;
  /** The modification time of the file. */
  readonly updatedAtMs?: number;
  readonly cwd?: string;
  readonly source?: string;
  readonly provider?: string;
  readonly archived?: boolean;
  /** The user's message; empty for none. */
  readonly text?: string;
  /** Overrides of members of the first line. */
  readonly meta?: object;
};

/** A UUIDv7 of that time; the number makes it unique. */
export function idAt(timeMs: number, number: number): string {
  const time = timeMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** The path of the file; names contain local time, which is UTC for servers under test. */
export function rolloutFile(home: string, { id, createdAtMs, archived = false }: StoredRollout): string {
  const time = new Date(createdAtMs).toISOString();
  const name = `rollout-${time.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
  const folder = archived ? ["archived_sessions"] : ["sessions", ...time.slice(0, 10).split("-")];
  return join(home, ...folder, name);
}

/** Writes the file and returns its path. */
export function putRollout(home: string, rollout: StoredRollout): string {
  const path = rolloutFile(home, rollout);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, rolloutText(rollout));
  const seconds = (rollout.updatedAtMs ?? rollout.createdAtMs) / 1000;
  utimesSync(path, seconds, seconds);
  return path;
}

export function rolloutText(rollout: StoredRollout): string {
  const {
    id,
    createdAtMs,
    cwd = "/project",
    source = "vscode",
    provider = "openai",
    text = `about ${id}`,
  } = rollout;
  const timestamp = new Date(createdAtMs).toISOString();
  const meta = {
    id,
    session_id: id,
    timestamp,
    cwd,
    originator: "test",
    cli_version: "0.166.0",
    source,
    model_provider: provider,
    history_mode: "paginated",
    ...rollout.meta,
  };
  const said = { type: "UserMessage", id: "u1", content: [{ type: "text", text }] };
  const events = [
    { type: "task_started", turn_id: "t1" },
    ...(text === "" ? [] : [{ type: "item_completed", thread_id: id, turn_id: "t1", item: said }]),
    { type: "task_complete", turn_id: "t1" },
  ];
  const lines = [
    { type: "session_meta", payload: meta },
    ...events.map((payload) => ({ type: "event_msg", payload })),
  ];
  return lines.map((line, ordinal) => `${JSON.stringify({ timestamp, ordinal, ...line })}\n`).join("");
}
