/** Parses the head of an HTTP/1.1 response: status line and headers. */
import type { HttpHeaders } from "../provider-input.ts";

export interface ResponseHead {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly framing: Framing;
  /** Whether the server keeps the connection open after the response. */
  readonly keepsAlive: boolean;
}

/** How the end of the body is recognized. */
export type Framing =
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "untilClose" };

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Statuses whose responses have no body, whatever their headers say. */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Of these headers the first counts, as in Node; the values of others are joined. */
const SINGLE: ReadonlySet<string> = new Set([
  "age",
  "content-type",
  "etag",
  "expires",
  "last-modified",
  "location",
  "retry-after",
  "server",
]);

/** Returns the head, or null if the text is none or could be read in two ways. The text has no empty line. */
export function parseHead(text: string): ResponseHead | null {
  const lines = text.split("\r\n");
  const [, minor, status] = STATUS_LINE.exec(lines[0] ?? "") ?? [];
  const headers = parseHeaderLines(lines.slice(1));
  if (status === undefined || headers === null) return null;
  const framing = framingOf(Number(status), headers);
  if (framing === null) return null;
  const keepsAlive = minor === "1" ? !hasToken(headers, "close") : hasToken(headers, "keep-alive");
  return { status: Number(status), headers, framing, keepsAlive };
}

/** Null if a line is no header. */
export function parseHeaderLines(lines: readonly string[]): Record<string, string> | null {
  // Without a prototype, because the names come from outside.
  const headers = Object.create(null) as Record<string, string>;
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    // A line that begins with a blank continues the one before it in old servers: it has no valid name.
    if (!NAME.test(name) || !VALUE.test(value)) return null;
    // Servers and proxies differ in whether a tab belongs to the value.
    if ((name === "content-length" || name === "transfer-encoding") && line.includes("\t")) return null;
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = value;
    else if (name === "content-length") return null;
    else if (!SINGLE.has(name)) headers[name] = `${earlier}, ${value}`;
  }
  return headers;
}

/** `trim` would also remove characters beyond ASCII. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function framingOf(status: number, headers: Readonly<Record<string, string>>): Framing | null {
  const { "transfer-encoding": coding, "content-length": length } = headers;
  if (coding !== undefined && length !== undefined) return null;
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return null;
  if (status < 200 || BODILESS.has(status)) return { kind: "length", length: 0 };
  if (coding !== undefined) {
    const names = coding.toLowerCase().split(",").map(trimBlanks);
    const at = names.indexOf("chunked");
    if (at === -1) return { kind: "untilClose" };
    return at === names.length - 1 ? { kind: "chunked" } : null;
  }
  return length === undefined ? { kind: "untilClose" } : { kind: "length", length: Number(length) };
}

function hasToken({ connection = "" }: Readonly<Record<string, string>>, token: string): boolean {
  return connection
    .toLowerCase()
    .split(",")
    .some((each) => trimBlanks(each) === token);
}
