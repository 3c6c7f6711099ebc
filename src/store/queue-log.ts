/**
 * The port for the log of queued turns that have started. A row moves here in the same step in which it leaves its
 * queue, so that its client key stays idempotent: a client that adds the row again, because the first response was
 * lost, gets the turn that it started. The newest rows are retained, for a limited time.
 */
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../base/json-object.ts";
import type { Fence } from "./leases.ts";
import type { Fenced } from "./queue.ts";

export interface QueueLog {
  /** The row of a thread that was started under this client key; null if none is retained. */
  startedBy(threadId: string, clientUserMessageId: string): Promise<StartedRow | null>;
  /** Newest first. */
  started(query: StartedQuery): Promise<readonly StartedRow[]>;
  /** Records how the turn of a row ended. False if the row is not retained or has already ended. */
  recordEnd(fence: Fence, turnId: string, end: QueuedTurnEnd): Promise<boolean | Fenced>;
}

export interface StartedQuery {
  readonly threadId?: string;
  /** Only rows without an end. */
  readonly isOpen?: true;
  readonly limit: number;
}

export interface StartedRow {
  readonly threadId: string;
  readonly rowId: string;
  /** Null if the client sent none, or one so long that only its digest is stored. */
  readonly clientUserMessageId: string | null;
  readonly turnId: string;
  /** The beginning of its text. */
  readonly preview: string;
  readonly startedAtMs: number;
  /** Null while the turn runs, or if its process died before recording the end. */
  readonly end: QueuedTurnEnd | null;
}

export interface QueuedTurnEnd {
  readonly how: "completed" | "failed" | "interrupted";
  readonly atMs: number;
  /** Null if unknown. */
  readonly durationMs: number | null;
  /** Tokens of all model requests of the turn; null if unknown. */
  readonly tokens: number | null;
  /** Why the turn failed; null unless it did. */
  readonly error: string | null;
}

/** Retained rows of all threads together; the oldest are evicted first. */
export const MAX_STARTED = 10_000;
/** How long they are retained. */
export const STARTED_AGE_MS = 30 * 86_400_000;

const MAX_KEY_CHARACTERS = 512;

/** Encodes a client key for storage: as JSON, which keeps lone surrogates distinct, or as a digest if it is long. */
export function encodeClientKey(key: string): string {
  if (key.length <= MAX_KEY_CHARACTERS) return JSON.stringify(key);
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
}

export function decodeClientKey(mark: string | null): string | null {
  return mark?.startsWith('"') === true ? (JSON.parse(mark) as string) : null;
}

const MAX_PREVIEW = 200;
const MAX_ERROR = 500;

/** The beginning of the first text input of a turn. */
export function queuedPreview({ input }: JsonObject): string {
  const parts: readonly unknown[] = Array.isArray(input) ? input : [];
  const text = parts.find((part) => isObject(part) && typeof part["text"] === "string");
  return isObject(text) ? clip(String(text["text"]).trim(), MAX_PREVIEW) : "";
}

export function clipEnd(end: QueuedTurnEnd): QueuedTurnEnd {
  return { ...end, error: end.error === null ? null : clip(end.error, MAX_ERROR) };
}

/** Lone surrogates become U+FFFD, because database text cannot hold them. */
const clip = (text: string, limit: number): string =>
  Buffer.from(text.length > limit ? `${text.slice(0, limit)}…` : text).toString();
