import { expect, test } from "vitest";
import { MAX_EVENT_BYTES, MAX_EVENT_TEXT, renderBody } from "./event-body.ts";

test("a body has type, timestamp and data", () => {
  expect(
    JSON.parse(renderBody({ type: "turn.ended", atMs: 0, data: { threadId: "t", text: null } })),
  ).toEqual({
    type: "turn.ended",
    timestamp: "1970-01-01T00:00:00.000Z",
    data: { threadId: "t", text: null },
  });
});

test("texts are redacted and clipped, and a body is small whatever is in it", () => {
  const token = `ghp_${"a1".repeat(20)}`;
  const body = renderBody({
    type: "turn.ended",
    atMs: 0,
    data: { text: `the token is ${token}`, long: "😀".repeat(5000) },
  });
  expect(body).not.toContain(token);
  const { data } = JSON.parse(body) as { data: { long: string } };
  expect(data.long.length).toBe(MAX_EVENT_TEXT + 1);
  const texts = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`text${at}`, "\u0001".repeat(5000)]),
  );
  expect(Buffer.byteLength(renderBody({ type: "t", atMs: 0, data: texts }))).toBeLessThan(MAX_EVENT_BYTES);
});
