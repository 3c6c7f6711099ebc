import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createNetworkTimeout } from "./network-timeout.ts";
import type { Notice } from "./notice.ts";

const waiting = (additionalDetails: string, message = "Reconnecting... waiting for network") =>
  ({
    method: "error",
    params: {
      threadId: "t",
      turnId: "u",
      willRetry: true,
      error: { message, codexErrorInfo: null, additionalDetails, misalignment: null },
    },
  }) as Notice;
const item = { method: "item/started", params: {} } as Notice;

function setup() {
  const clock = createFakeClock();
  let hasTimedOut = false;
  const networkTimeout = createNetworkTimeout({
    clock,
    seconds: 10,
    onTimeout: () => {
      hasTimedOut = true;
    },
  });
  return { clock, networkTimeout, hasTimedOut: () => hasTimedOut };
}

test("times out if the provider stays unreachable, with the last cause", () => {
  const { clock, networkTimeout, hasTimedOut } = setup();
  networkTimeout.onNotice(waiting("first"));
  clock.advance(6000);
  networkTimeout.onNotice(waiting("connect ECONNREFUSED 127.0.0.1:9"));
  clock.advance(3999);
  expect([hasTimedOut(), networkTimeout.error]).toEqual([false, null]);
  clock.advance(1);
  expect(hasTimedOut()).toBe(true);
  expect(networkTimeout.error?.message).toMatch(
    /^the model provider was not reached within 10 seconds: connect ECONNREFUSED 127\.0\.0\.1:9\. .*--network-timeout\.$/u,
  );
});

test.each([
  ["an item", (networkTimeout: ReturnType<typeof setup>["networkTimeout"]) => networkTimeout.onNotice(item)],
  ["another error", (networkTimeout) => networkTimeout.onNotice(waiting("x", "Reconnecting... 1/5"))],
  ["the end of the turn", (networkTimeout) => networkTimeout.end()],
])("%s cancels the timer, and the next outage gets the full timeout", (_, act) => {
  const { clock, networkTimeout, hasTimedOut } = setup();
  networkTimeout.onNotice(waiting("x"));
  clock.advance(9999);
  act(networkTimeout);
  clock.advance(60_000);
  expect(hasTimedOut()).toBe(false);
  networkTimeout.onNotice(waiting("y"));
  clock.advance(9999);
  expect(hasTimedOut()).toBe(false);
  clock.advance(1);
  expect(hasTimedOut()).toBe(true);
});
