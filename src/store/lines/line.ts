/**
 * One line of a rollout file: `{"timestamp", "ordinal", "type", "payload"}`. Lines are written from a `LineBody` and
 * read as a `RolloutLine`, which preserves unknown kinds and members.
 */
import { isObject, type JsonObject } from "../../base/json-object.ts";

export interface SessionMeta extends JsonObject {
  readonly id: string;
  readonly session_id: string;
  readonly timestamp: string;
  readonly cwd: string;
  readonly originator: string;
  readonly cli_version: string;
  readonly source: unknown;
  readonly model_provider: string | null;
  readonly history_mode: string;
  readonly base_instructions?: JsonObject;
  /** The number of reverts before the segment that this line begins; absent for none. */
  readonly heddle_generation?: number;
}

export interface TurnContext extends JsonObject {
  readonly turn_id: string;
  readonly cwd: string;
  readonly approval_policy: unknown;
  readonly sandbox_policy: JsonObject;
  readonly model: string;
  readonly summary: string;
}

export interface WorldState extends JsonObject {
  /** A full state replaces the previous one; any other is merged into it by RFC 7396. */
  readonly full: boolean;
  readonly state: JsonObject;
  readonly heddle_submitted?: JsonObject;
  readonly heddle_settled?: string;
  readonly heddle_hook_run?: JsonObject;
  readonly heddle_calls?: JsonObject;
}

export interface Compacted extends JsonObject {
  readonly message: string;
  readonly replacement_history?: readonly JsonObject[];
}

export interface EventMessage extends JsonObject {
  readonly type: string;
}

export interface ResponseItemPayload extends JsonObject {
  readonly type: string;
}

export type LineBody =
  | { readonly type: "session_meta"; readonly payload: SessionMeta }
  | { readonly type: "turn_context"; readonly payload: TurnContext }
  | { readonly type: "world_state"; readonly payload: WorldState }
  | { readonly type: "response_item"; readonly payload: ResponseItemPayload; readonly metadata?: JsonObject }
  | { readonly type: "event_msg"; readonly payload: EventMessage }
  | { readonly type: "token_usage_record"; readonly payload: JsonObject }
  | { readonly type: "compacted"; readonly payload: Compacted };

export interface RolloutLine extends JsonObject {
  readonly timestamp: string;
  readonly type: string;
  readonly payload: JsonObject;
  /** Absent in the files of legacy threads. */
  readonly ordinal?: number;
}

export type ParsedLine =
  | { readonly kind: "line"; readonly line: RolloutLine }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly reason: string };

/** Deeper nesting can be parsed but not serialized again: that would overflow the stack. */
const MAX_NESTING = 500;

function isNestedDeeply(text: string): boolean {
  if (text.length <= MAX_NESTING) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === OPEN_OBJECT || unit === OPEN_LIST) depth += 1;
    else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) depth -= 1;
    if (depth > MAX_NESTING) return true;
  }
  return false;
}

const QUOTE = 34;
const BACKSLASH = 92;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** The index of the closing quote of the string whose opening quote is at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Parses one line without its line break; never throws. */
export function parseLine(text: string): ParsedLine {
  if (text.trim() === "") return { kind: "blank" };
  if (isNestedDeeply(text)) return { kind: "bad", reason: `nested in more than ${MAX_NESTING} levels` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "bad", reason: "not JSON" };
  }
  if (!isObject(value)) return { kind: "bad", reason: "not an object" };
  const { timestamp, type, payload, ordinal } = value;
  if (typeof type !== "string") return { kind: "bad", reason: "no type" };
  if (!isObject(payload)) return { kind: "bad", reason: "no payload" };
  const hasTime = typeof timestamp === "string";
  const hasOrdinal = Number.isSafeInteger(ordinal);
  // A copy would take as long as the parsing of a short line.
  if (hasTime && (hasOrdinal || !Object.hasOwn(value, "ordinal")))
    return { kind: "line", line: value as RolloutLine };
  const { ordinal: _invalid, ...rest } = value;
  const line = { ...rest, timestamp: hasTime ? timestamp : "", type, payload };
  return { kind: "line", line: hasOrdinal ? { ...line, ordinal: ordinal as number } : line };
}

/** A line whose content is fixed; its ordinal is assigned when it is written. */
export interface PreparedLine {
  /** The text of the line with its line break; without an ordinal for legacy files. */
  withOrdinal(ordinal: number | null): string;
  /** The approximate size in bytes. */
  readonly size: number;
}

export function prepareLine(body: LineBody, timestampMs: number): PreparedLine {
  return prepareLines([body], timestampMs)[0] as PreparedLine;
}

/** Prepares lines with one timestamp. */
export function prepareLines(bodies: readonly LineBody[], timestampMs: number): PreparedLine[] {
  const head = `{"timestamp":"${new Date(timestampMs).toISOString()}"`;
  return bodies.map((body) => new TimedLine(head, `,${wellFormed(JSON.stringify(body)).slice(1)}\n`));
}

class TimedLine implements PreparedLine {
  readonly #head: string;
  readonly #tail: string;

  constructor(head: string, tail: string) {
    this.#head = head;
    this.#tail = tail;
  }

  get size(): number {
    return this.#head.length + this.#tail.length;
  }

  withOrdinal(ordinal: number | null): string {
    return ordinal === null ? this.#head + this.#tail : `${this.#head},"ordinal":${ordinal}${this.#tail}`;
  }
}

/** A lone surrogate is legal in JSON text, yet many parsers, the peer's among them, reject the whole line. */
function wellFormed(json: string): string {
  if (!json.includes(String.raw`\ud`)) return json;
  return json.replaceAll(/\\(\\|ud[89a-f][0-9a-f]{2})/g, (match, escaped: string) =>
    escaped === "\\" ? match : String.raw`\ufffd`,
  );
}
