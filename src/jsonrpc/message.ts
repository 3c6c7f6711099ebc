/**
 * The four kinds of JSON-RPC messages, and their encoding. As in the Codex app-server there is no `jsonrpc` member and no
 * batch; anything else is rejected as junk.
 */

/** Integers beyond the safe range are bigint, so that an id is echoed exactly. */
export type RequestId = string | number | bigint;

export interface RequestMessage {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
  /** The sender's trace context, unvalidated; undefined if absent. */
  readonly trace?: unknown;
}

export interface NotificationMessage {
  readonly kind: "notification";
  readonly method: string;
  readonly params: unknown;
}

export interface ResponseMessage {
  readonly kind: "response";
  readonly id: RequestId;
  readonly result: unknown;
}

export interface ErrorMessage {
  readonly kind: "error";
  readonly id: RequestId;
  readonly error: ErrorObject;
}

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type JsonRpcMessage = RequestMessage | NotificationMessage | ResponseMessage | ErrorMessage;

/** Deeper nesting is rejected before any code can recurse into it. */
export const MAX_MESSAGE_DEPTH = 128;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Parses one message, or returns the reason why it is junk. */
export function parseMessage(
  text: string,
): JsonRpcMessage | { readonly kind: "junk"; readonly reason: string } {
  if (isDeeperThan(text, MAX_MESSAGE_DEPTH)) return junk(`nested deeper than ${MAX_MESSAGE_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return junk("not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return junk("not a JSON object");
  const fields = value as Record<string, unknown>;
  const id = parseId(fields["id"], text);
  const method = fields["method"];
  if (typeof method === "string") {
    const params = fields["params"];
    if (id === null) return { kind: "notification", method, params };
    const request = { kind: "request", id, method, params } as const;
    return fields["trace"] === undefined ? request : { ...request, trace: fields["trace"] };
  }
  if (id === null) return junk("neither a method nor a valid id");
  const error = fields["error"];
  if ("result" in fields) {
    // A response with both a result and an error is neither.
    if (error !== undefined && error !== null) return junk("both a result and an error");
    return { kind: "response", id, result: fields["result"] };
  }
  return isErrorObject(error) ? { kind: "error", id, error } : junk("no method, result or error");
}

export function encodeResponse(id: RequestId, result: unknown): string {
  return `{"id":${encodeId(id)},"result":${JSON.stringify(result) ?? "null"}}`;
}

/** Encodes a response whose result is already JSON. */
export function encodeResponsePieces(id: RequestId, { bytes, pieces }: JsonPieces): JsonPieces {
  const head = `{"id":${encodeId(id)},"result":`;
  function* all() {
    yield head;
    yield* pieces;
    yield "}";
  }
  return new JsonPieces(Buffer.byteLength(head) + bytes + 1, { [Symbol.iterator]: all });
}

export function encodeError(id: RequestId, error: ErrorObject): string {
  return `{"error":${JSON.stringify(error)},"id":${encodeId(id)}}`;
}

export function encodeRequest(id: RequestId, method: string, params: unknown): string {
  return `{"method":${JSON.stringify(method)},"id":${encodeId(id)}${encodeMember("params", params)}}`;
}

/** `emittedAtMs` is the server's timestamp; clients send none. */
export function encodeNotification(method: string, params: unknown, emittedAtMs?: number): string {
  const timestamp = emittedAtMs === undefined ? "" : `,"emittedAtMs":${emittedAtMs}`;
  return `{"method":${JSON.stringify(method)}${encodeMember("params", params)}${timestamp}}`;
}

/** Whether a text that was encoded here is a response, without parsing it; for forwarding. */
export function isEncodedResponse(text: string): boolean {
  return text.startsWith('{"id":') || text.startsWith('{"error":');
}

/** Removes the server's timestamp from a text that was encoded here. */
export function withoutTimestamp(text: string): string {
  return text.replace(/,"emittedAtMs":\d+\}$/u, "}");
}

function encodeMember(name: string, value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? "" : `,"${name}":${text}`;
}

function encodeId(id: RequestId): string {
  return typeof id === "string" ? JSON.stringify(id) : id.toString();
}

function parseId(value: unknown, text: string): RequestId | null {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isInteger(value)) return null;
  return Number.isSafeInteger(value) ? value : exactId(text);
}

/**
 * `JSON.parse` has already rounded an integer beyond 2^53, so its digits are read from the text: the last top-level
 * `"id"` member, which is the one that `JSON.parse` uses.
 */
function exactId(text: string): bigint | null {
  let depth = 0;
  let found: string | null = null;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    const [lexeme] = token;
    if (lexeme === "{" || lexeme === "[") depth += 1;
    else if (lexeme === "}" || lexeme === "]") depth -= 1;
    else if (depth === 1 && lexeme === '"id"') {
      found = /^\s*:\s*(-?\d+)\s*[,}]/.exec(text.slice(token.index + lexeme.length))?.[1] ?? found;
    }
  }
  if (found === null) return null;
  const id = BigInt(found);
  return id >= INT64_MIN && id <= INT64_MAX ? id : null;
}

function isErrorObject(value: unknown): value is ErrorObject {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Record<string, unknown>;
  return Number.isInteger(code) && typeof message === "string";
}

/** Counts brackets outside strings only; texts that are too short for this depth are skipped. */
function isDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit * 2 || !hasManyBrackets(text, limit)) return false;
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Ordinary messages have few brackets: this count avoids the full scan for nearly all of them. */
function hasManyBrackets(text: string, limit: number): boolean {
  let count = 0;
  for (const open of ["{", "["]) {
    for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, at + 1)) {
      if (++count > limit) return true;
    }
  }
  return false;
}

function junk(reason: string): { kind: "junk"; reason: string } {
  return { kind: "junk", reason };
}

/**
 * A result that is serialized piece by piece while it is sent: too large for one string, or for serializing it without
 * blocking the event loop.
 */
export class JsonPieces {
  /** The total length of the pieces in bytes. */
  readonly bytes: number;
  readonly pieces: Iterable<string>;

  constructor(bytes: number, pieces: Iterable<string>) {
    this.bytes = bytes;
    this.pieces = pieces;
  }

  /** Joins the pieces, for transports without `sendPieces`. */
  join(): string {
    return [...this.pieces].join("");
  }
}
