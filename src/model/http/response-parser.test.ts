import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import type { ResponseHead } from "./response-head.ts";
import { MAX_HEAD_BYTES, ResponseParser } from "./response-parser.ts";

interface Parsed {
  readonly heads: ResponseHead[];
  readonly body: string;
  readonly fault: string | null;
  readonly isDone: boolean;
  readonly parser: ResponseParser;
}

function parse(chunks: readonly Uint8Array[], atEnd = true): Parsed {
  const heads: ResponseHead[] = [];
  let body = "";
  let fault: string | null = null;
  const parser = new ResponseParser({
    onHead: (head) => void heads.push(head),
    onBody: (bytes) => void (body += bytes.toString("latin1")),
  });
  for (const chunk of chunks) fault ??= parser.push(Buffer.from(chunk));
  if (atEnd) parser.finish();
  return { heads, body, fault, isDone: parser.isDone, parser };
}

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const response = (head: string, body = ""): Buffer =>
  bytes(`${head.replaceAll("\n", "\r\n")}\r\n\r\n${body}`);

function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((at) => at % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return sorted.slice(1).map((end, index) => whole.subarray(sorted[index], end));
}

const chunked = (...pieces: readonly string[]): string =>
  `${pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("")}0\r\n\r\n`;

describe("a response", () => {
  test("has the length that it names", () => {
    const parsed = parse([response("HTTP/1.1 200 OK\nContent-Length: 5\nX-A: 1\nx-a: 2", "hello")], false);
    expect(parsed).toMatchObject({ body: "hello", isDone: true, fault: null });
    expect(parsed.heads[0]).toMatchObject({ status: 200, keepsAlive: true, headers: { "x-a": "1, 2" } });
  });

  test("has no body with length zero, and with statuses that have none", () => {
    for (const head of [
      "HTTP/1.1 200 OK\ncontent-length: 0",
      "HTTP/1.1 204 No Content",
      "HTTP/1.1 304\ncontent-length: 7",
    ])
      expect(parse([response(head)], false)).toMatchObject({ isDone: true, body: "" });
  });

  test("ends with the connection where it names no length", () => {
    const head = "HTTP/1.1 200 OK\nserver: x";
    expect(parse([response(head, "abc")], false).isDone).toBe(false);
    expect(parse([response(head, "abc")])).toMatchObject({ isDone: true, body: "abc" });
    expect(parse([response(head, "abc")]).parser.keepsAlive).toBe(false);
  });

  test("comes in chunks, with extensions and trailers", () => {
    const body = "5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\nx-late: 1\r\n\r\n";
    const parsed = parse([response("HTTP/1.1 200 OK\ntransfer-encoding: chunked", body)], false);
    expect(parsed).toMatchObject({ body: "hello0123456789", isDone: true, fault: null });
  });

  test("follows early hints", () => {
    const early = response("HTTP/1.1 103 Early Hints\nlink: x").toString("latin1");
    const all = bytes(
      early + early + response("HTTP/1.1 200 OK\ncontent-length: 2", "ok").toString("latin1"),
    );
    expect(parse([all], false)).toMatchObject({ body: "ok", isDone: true });
  });

  test.each([
    ["HTTP/1.1 200 OK\nconnection: close", false],
    ["HTTP/1.1 200 OK\nconnection: x, Close", false],
    ["HTTP/1.1 200 OK", true],
    ["HTTP/1.0 200 OK", false],
    ["HTTP/1.0 200 OK\nconnection: Keep-Alive", true],
  ])("leaves the connection as it says: %j", (head, keepsAlive) => {
    expect(parse([response(`${head}\ncontent-length: 0`)]).parser.keepsAlive).toBe(keepsAlive);
  });

  test("shows what follows it", () => {
    const whole = response("HTTP/1.1 200 OK\ncontent-length: 2", "okHTTP/1.1 200 OK\r\n\r\n");
    const { parser, body } = parse([whole]);
    expect([parser.isDone, parser.hasSurplus, body]).toEqual([true, true, "ok"]);
  });
});

const FAULTS: readonly (readonly [string, Buffer])[] = [
  ["no status line", bytes("hello\r\n\r\n")],
  ["another protocol", response("HTTP/2 200 OK")],
  ["a protocol switch", response("HTTP/1.1 101 Switching Protocols")],
  ["a folded header", bytes("HTTP/1.1 200 OK\r\na: 1\r\n b\r\n\r\n")],
  ["a blank before the colon", response("HTTP/1.1 200 OK\na : 1")],
  ["a header without a colon", response("HTTP/1.1 200 OK\nabc")],
  ["a bare carriage return", bytes("HTTP/1.1 200 OK\r\na: 1\rb: 2\r\n\r\n")],
  ["a bare line feed", bytes("HTTP/1.1 200 OK\r\na: 1\nb: 2\r\n\r\n")],
  ["a zero byte", bytes("HTTP/1.1 200 OK\r\na: \0\r\n\r\n")],
  ["two lengths", response("HTTP/1.1 200 OK\ncontent-length: 1\ncontent-length: 1")],
  ["a list of lengths", response("HTTP/1.1 200 OK\ncontent-length: 1, 1")],
  ["a negative length", response("HTTP/1.1 200 OK\ncontent-length: -1")],
  ["a length and chunks", response("HTTP/1.1 200 OK\ncontent-length: 1\ntransfer-encoding: chunked")],
  ["chunks that are not the last coding", response("HTTP/1.1 200 OK\ntransfer-encoding: chunked, gzip")],
  ["a tab behind the coding", response("HTTP/1.1 200 OK\ntransfer-encoding: chunked\t\nx: 1", chunked("a"))],
  ["a tab behind the length", response("HTTP/1.1 200 OK\ncontent-length: 1\t\nx: 1", "a")],
  ["headers that are too long", response(`HTTP/1.1 200 OK\na: ${"x".repeat(MAX_HEAD_BYTES)}`)],
  ["headers that never end", bytes(`HTTP/1.1 200 OK\r\n${"a: b\r\n".repeat(5000)}`)],
  ...[
    ["no size", "\r\n"],
    ["a size that is no number", "g\r\n"],
    ["a negative size", "-1\r\n"],
    ["a size with a prefix", "0x1\r\n"],
    ["a size that is too large", "1234567890123\r\n"],
    ["a blank behind the size", "1 \r\na\r\n"],
    ["a bare line feed behind the size", "1\na\r\n"],
    ["more bytes than the size", "1\r\nab\r\n"],
    ["an extension that is too long", `1;${"x".repeat(MAX_HEAD_BYTES + 1)}`],
    ["a line feed in an extension", "1;a\nb\r\n"],
    ["trailers that are too long", `0\r\n${"a: b\r\n".repeat(5000)}`],
  ].map(([name, body]): [string, Buffer] => [
    `chunks with ${name}`,
    response("HTTP/1.1 200 OK\ntransfer-encoding: chunked", body),
  ]),
];

test.each(FAULTS)("%s is a fault, however it arrives", (_name, whole) => {
  for (const chunks of [[whole], [...whole].map((byte) => Uint8Array.of(byte))]) {
    const { fault, isDone } = parse(chunks);
    expect([fault !== null, isDone]).toEqual([true, false]);
  }
});

const text = fc
  .string({ unit: "binary", maxLength: 40 })
  .map((value) => Buffer.from(value).toString("latin1"));
const whole = fc.oneof(
  text.map((body) => response(`HTTP/1.1 200 OK\ncontent-length: ${body.length}\nx-a: b`, body)),
  fc
    .array(text.filter((piece) => piece !== ""))
    .map((pieces) => response("HTTP/1.1 500 Oh no\nTransfer-Encoding: Chunked", chunked(...pieces))),
  text.map((body) => response("HTTP/1.1 200 OK\nconnection: close", body)),
);
const places = fc.array(fc.nat(), { maxLength: 20 });

test("a response is the same however it is cut", () => {
  fc.assert(
    fc.property(whole, places, (all, at) => {
      const { parser: _, ...expected } = parse([all]);
      const { parser: __, ...found } = parse(cut(all, at));
      expect(expected.isDone).toBe(true);
      expect(found).toEqual(expected);
    }),
    propertyRuns(500),
  );
});

test("what is read as a response is read in the same way by Node", () => {
  const change = fc.record({
    at: fc.nat(),
    removed: fc.nat(4),
    added: fc.constantFrom("", "\r\n", "\n", "\r", "0", "a", ":", ";", " ", "\0", "\t", "chunked", "1\r\n"),
  });
  let accepted = 0;
  fc.assert(
    fc.property(whole, fc.array(change, { maxLength: 3 }), places, (all, changes, at) => {
      let mutated = all.toString("latin1");
      for (const { at: place, removed, added } of changes) {
        const start = place % (mutated.length + 1);
        mutated = mutated.slice(0, start) + added + mutated.slice(start + removed);
      }
      const { heads, body, isDone, parser, fault } = parse(cut(bytes(mutated), at));
      if (!isDone || fault !== null || parser.hasSurplus) return;
      accepted += 1;
      expect({ status: heads.at(-1)?.status, body }).toEqual(parseByNode(bytes(mutated)));
    }),
    propertyRuns(3000),
  );
  expect(accepted).toBeGreaterThan(100);
});

interface NodeParser {
  [event: number]: (...args: never[]) => unknown;
  initialize(kind: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
}

interface NodeParserClass {
  new (): NodeParser;
  readonly RESPONSE: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

/** Throws where Node would not accept the response. */
function parseByNode(all: Buffer): { status: number | undefined; body: string } {
  const { HTTPParser } = createRequire(import.meta.url)("_http_common") as { HTTPParser: NodeParserClass };
  const parser = new HTTPParser();
  const statuses: number[] = [];
  let body = "";
  let ends = 0;
  parser.initialize(HTTPParser.RESPONSE, {});
  parser[HTTPParser.kOnHeaders] = () => {};
  parser[HTTPParser.kOnHeadersComplete] = (...args: never[]) => {
    statuses.push(Number(args[5]));
    return 0;
  };
  parser[HTTPParser.kOnBody] = (piece: Buffer) => void (body += piece.toString("latin1"));
  parser[HTTPParser.kOnMessageComplete] = () => void (ends += 1);
  const taken = parser.execute(all);
  if (typeof taken !== "number") throw taken;
  const fault = parser.finish();
  if (fault !== undefined) throw fault;
  if (ends !== statuses.length) throw new Error("Node has not seen the end");
  return { status: statuses.at(-1), body };
}
