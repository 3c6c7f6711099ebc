/** Rollout files as a server would have left them, made fast. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const DAY_MS = 86_400_000;
const NEWEST_MS = Date.UTC(2026, 0, 1);
const THREADS_A_DAY = 500;
const BATCH = 200;

/** That many threads with one message each; the ids, the oldest first, as they are written. */
export function makeThreads(home: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const age = count - 1 - index;
    const id = threadId(index);
    const timeMs = NEWEST_MS - Math.floor(age / THREADS_A_DAY) * DAY_MS - (age % THREADS_A_DAY) * 1000;
    const lines = [meta(id, timeMs), ...turnLines(id, "t1", `Message ${index}`, "Done")];
    writeFileSync(pathOf(home, id, timeMs), toText(lines, 0, timeMs));
    return id;
  });
}

export type LongThread = {
  readonly turns: number;
  readonly itemBytes: number;
  /** Whether the model was told of the items as well, so that the next request has them all. */
  readonly isTold?: boolean;
};

/** One thread with that many turns of two items each; its id. */
export function makeLongThread(home: string, { turns, itemBytes, isTold = false }: LongThread): string {
  const id = threadId(1_000_000 + turns);
  const file = openSync(pathOf(home, id, NEWEST_MS), "w");
  const answer = "x".repeat(itemBytes);
  writeSync(file, toText([meta(id, NEWEST_MS)], 0, NEWEST_MS));
  let ordinal = 1;
  for (let at = 0; at < turns; at += BATCH) {
    const lines = Array.from({ length: Math.min(BATCH, turns - at) }, (_, index) => {
      const question = `Message ${at + index}`;
      const [begin, ...rest] = turnLines(id, `t${at + index}`, question, answer);
      return [begin!, ...(isTold ? toldLines(question, answer) : []), ...rest];
    }).flat();
    writeSync(file, toText(lines, ordinal, NEWEST_MS));
    ordinal += lines.length;
  }
  closeSync(file);
  return id;
}

type Line = { readonly type: string; readonly payload: object };

function meta(id: string, timeMs: number): Line {
  const payload = {
    id,
    session_id: id,
    timestamp: new Date(timeMs).toISOString(),
    cwd: "/project",
    originator: "bench",
    cli_version: "0.166.0",
    source: "vscode",
    model_provider: "mock",
    history_mode: "paginated",
  };
  return { type: "session_meta", payload };
}

function turnLines(id: string, turnId: string, question: string, answer: string): Line[] {
  const user = { type: "UserMessage", id: `${turnId}-u`, content: [{ type: "text", text: question }] };
  const agent = { type: "AgentMessage", id: `${turnId}-a`, content: [{ type: "Text", text: answer }] };
  const completed = (item: object) => event({ type: "item_completed", thread_id: id, turn_id: turnId, item });
  return [
    event({ type: "task_started", turn_id: turnId }),
    completed(user),
    completed(agent),
    event({ type: "task_complete", turn_id: turnId }),
  ];
}

function toldLines(question: string, answer: string): Line[] {
  const item = (role: string, type: string, text: string) => ({
    type: "response_item",
    payload: { type: "message", role, content: [{ type, text }] },
  });
  return [item("user", "input_text", question), item("assistant", "output_text", answer)];
}

function event(payload: object): Line {
  return { type: "event_msg", payload };
}

function toText(lines: readonly Line[], firstOrdinal: number, timeMs: number): string {
  const timestamp = new Date(timeMs).toISOString();
  return lines
    .map((line, index) => `${JSON.stringify({ timestamp, ordinal: firstOrdinal + index, ...line })}\n`)
    .join("");
}

function threadId(index: number): string {
  return `019b0000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

function pathOf(home: string, id: string, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  const folder = join(home, "sessions", ...time.slice(0, 10).split("-"));
  mkdirSync(folder, { recursive: true });
  return join(folder, `rollout-${time.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`);
}
