import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResponse,
  isEncodedResponse,
  MAX_MESSAGE_DEPTH,
  parseMessage,
  withoutTimestamp,
} from "./message.ts";

const id = fc.oneof(fc.string(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const normal = (value: string | number | bigint) =>
  typeof value === "bigint" &&
  value >= BigInt(Number.MIN_SAFE_INTEGER) &&
  value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value;

describe("parseMessage", () => {
  test("each kind is recognised and unknown members are ignored", () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}')).toEqual({
      kind: "request",
      id: 1,
      method: "a",
      params: { x: 1 },
    });
    expect(parseMessage('{"method":"a","extra":1}')).toEqual({
      kind: "notification",
      method: "a",
      params: undefined,
    });
    expect(parseMessage('{"id":"x","result":null}')).toEqual({ kind: "response", id: "x", result: null });
    expect(parseMessage('{"id":"x","result":1,"error":null}')).toMatchObject({ kind: "response", result: 1 });
    expect(parseMessage('{"id":2,"error":{"code":-1,"message":"no","data":3}}')).toEqual({
      kind: "error",
      id: 2,
      error: { code: -1, message: "no", data: 3 },
    });
  });

  test("a null or fractional id makes no request", () => {
    expect(parseMessage('{"id":null,"method":"a"}').kind).toBe("notification");
    expect(parseMessage('{"id":1.5,"method":"a"}').kind).toBe("notification");
  });

  test.each([
    "",
    "nope",
    "[]",
    "3",
    "null",
    "{}",
    '{"id":1}',
    '{"id":1,"error":"text"}',
    '{"id":1,"result":{},"error":{"code":1,"message":"no"}}',
    '{"id":1,"error":{"code":1,"message":"no"},"result":null}',
    '{"id":1,"result":true,"error":"text"}',
    '\ufeff{"id":1,"method":"a"}',
  ])("%j is junk", (text) => {
    expect(parseMessage(text).kind).toBe("junk");
  });

  test("an id beyond the safe integers keeps its digits, despite nested ids", () => {
    const text = '{"params":{"id":9007199254740999},"method":"id","id" : 9007199254740993}';
    expect(parseMessage(text)).toMatchObject({ kind: "request", id: 9007199254740993n });
    expect(parseMessage('{"id":9223372036854775808,"method":"a"}').kind).toBe("notification");
  });

  test("nesting is bounded, and brackets inside strings do not count", () => {
    const nested = (depth: number) =>
      `{"id":1,"method":"a","params":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(parseMessage(nested(MAX_MESSAGE_DEPTH - 1)).kind).toBe("request");
    expect(parseMessage(nested(MAX_MESSAGE_DEPTH)).kind).toBe("junk");
    expect(parseMessage(nested(2_000_000)).kind).toBe("junk");
    expect(parseMessage(`{"id":1,"method":"${"[".repeat(1000)}"}`).kind).toBe("request");
  });

  test("any text is parsed without throwing", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseMessage(text)));
  });
});

test("encoded messages are parsed back", () => {
  const params = fc.dictionary(fc.string(), fc.jsonValue());
  const clean = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  fc.assert(
    fc.property(id, fc.string(), params, (anId, method, value) => {
      expect(parseMessage(encodeRequest(anId, method, value))).toEqual({
        kind: "request",
        id: normal(anId),
        method,
        params: clean(value),
      });
      expect(parseMessage(encodeResponse(anId, value))).toEqual({
        kind: "response",
        id: normal(anId),
        result: clean(value),
      });
    }),
  );
});

test("a notification has a timestamp, and a response without a value has null", () => {
  expect(encodeNotification("a", { b: 1 }, 12)).toBe('{"method":"a","params":{"b":1},"emittedAtMs":12}');
  expect(encodeNotification("a", undefined)).toBe('{"method":"a"}');
  expect(encodeResponse("1", undefined)).toBe('{"id":"1","result":null}');
  expect(encodeError(1, { code: -32600, message: "no" })).toBe(
    '{"error":{"code":-32600,"message":"no"},"id":1}',
  );
});

test("encoded responses are recognised, and timestamps removed, without parsing", () => {
  const answers = [encodeResponse(1, {}), encodeError("a", { code: 1, message: "no" })];
  const others = [encodeRequest(1, "a", {}), encodeNotification("a", { id: 1 }, 7)];
  expect([...answers, ...others].map(isEncodedResponse)).toEqual([true, true, false, false]);
  expect(others.map(withoutTimestamp)).toEqual([
    encodeRequest(1, "a", {}),
    encodeNotification("a", { id: 1 }),
  ]);
});
