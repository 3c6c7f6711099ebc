/**
 * The port for what became of queued turns that have started. A row moves here in the same step in which it leaves its
 * queue, so that the key of its client counts on: whoever adds it again, because the first answer was lost, gets the
 * turn that it has become. The newest rows are kept, for a limited time.
 */
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../base/json-object.ts";
import type { Fence } from "./leases.ts";
import type { Fenced } from "./queue.ts";

export interface QueueLog {
  /** The row of a thread that was started under this key of its client; null where none is remembered. */
  startedBy(threadId: string, clientUserMessageId: string): Promise<StartedRow | null>;
  /** The newest first. */
  started(query: StartedQuery): Promise<readonly StartedRow[]>;
  /** Records how the turn of a row has ended. False where it is not remembered, or has an end. */
  recordEnd(fence: Fence, turnId: string, end: TurnEnd): Promise<boolean | Fenced>;
}

export interface StartedQuery {
  readonly threadId?: string;
  /** Only those without an end. */
  readonly isOpen?: true;
  readonly limit: number;
}

export interface StartedRow {
  readonly threadId: string;
  readonly rowId: string;
  /** Null where the client gave none, or a very long one, of which only a digest is kept. */
  readonly clientUserMessageId: string | null;
  readonly turnId: string;
  /** The beginning of its text. */
  readonly preview: string;
  readonly startedAtMs: number;
  /** Null while it runs, or where its process did not live to record it. */
  readonly end: TurnEnd | null;
}

export interface TurnEnd {
  readonly how: "completed" | "failed" | "interrupted";
  readonly atMs: number;
  /** Null where it is not known. */
  readonly durationMs: number | null;
  /** Tokens of all model requests of the turn; null where they are not known. */
  readonly tokens: number | null;
  /** Why it failed; null unless it did. */
  readonly error: string | null;
}

/** Rows that are remembered of all threads together; the oldest go first. */
export const MAX_STARTED = 10_000;
/** How long they are remembered. */
export const STARTED_AGE_MS = 30 * 86_400_000;

const MAX_KEY_CHARACTERS = 512;

/** How a key is kept: as JSON, for halves of characters to stay apart, or as a digest where it is long. */
export function keyMark(key: string): string {
  if (key.length <= MAX_KEY_CHARACTERS) return JSON.stringify(key);
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
}

export function keyOfMark(mark: string | null): string | null {
  return mark?.startsWith('"') === true ? (JSON.parse(mark) as string) : null;
}

const MAX_PREVIEW = 200;
const MAX_ERROR = 500;

/** The beginning of the first text of what a turn starts with. */
export function previewOf({ input }: JsonObject): string {
  const parts: readonly unknown[] = Array.isArray(input) ? input : [];
  const text = parts.find((part) => isObject(part) && typeof part["text"] === "string");
  return isObject(text) ? clip(String(text["text"]).trim(), MAX_PREVIEW) : "";
}

export function clipEnd(end: TurnEnd): TurnEnd {
  return { ...end, error: end.error === null ? null : clip(end.error, MAX_ERROR) };
}

/** Halves of characters become the mark for what cannot be read: no text of a database can hold them. */
const clip = (text: string, most: number): string =>
  Buffer.from(text.length > most ? `${text.slice(0, most)}…` : text).toString();
