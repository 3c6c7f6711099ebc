import { expect, test } from "vitest";
import type { RequestMessage } from "../../jsonrpc/message.ts";
import type { Responder } from "../../jsonrpc/peer.ts";
import { createServerEvents, type ServerEvent } from "./server-events.ts";

const REQUEST: RequestMessage = { kind: "request", id: 1, method: "m", params: {} };
const ERROR = { code: -1, message: "no" };

function open(reply: Responder = { result() {}, error() {} }) {
  let now = 0;
  const events = createServerEvents({ clock: { monotonic: () => (now += 5) } });
  const told: ServerEvent[] = [];
  return { events, told, addListener: () => events.addListener((event) => told.push(event)), reply };
}

test("where nobody listens, an answer takes the way that it takes anyway", () => {
  const { events, reply, addListener } = open();
  expect([events.hasListeners, events.instrumentReply(REQUEST, reply)]).toEqual([false, reply]);
  addListener();
  expect(events.hasListeners).toBe(true);
  expect(events.instrumentReply(REQUEST, reply)).not.toBe(reply);
});

test("an answer is told once, with how long it took", () => {
  const { events, told, addListener, reply } = open();
  addListener();
  const watched = events.instrumentReply(REQUEST, reply);
  watched.result({ a: 1 });
  watched.error(ERROR);
  expect(told).toEqual([
    { type: "requestAnswered", request: REQUEST, result: { a: 1 }, error: null, durationMs: 5 },
  ]);
});

test("a result that cannot be sent is told as the error that is sent instead", () => {
  const { events, told, addListener, reply } = open({
    result() {
      throw new RangeError("too long");
    },
    error() {},
  });
  addListener();
  const watched = events.instrumentReply(REQUEST, reply);
  expect(() => watched.result("long")).toThrow("too long");
  watched.error(ERROR);
  expect(told).toMatchObject([{ type: "requestAnswered", result: undefined, error: ERROR }]);
});
