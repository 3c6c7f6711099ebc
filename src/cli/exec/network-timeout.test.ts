import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createNetworkPatience } from "./network-timeout.ts";
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

function open() {
  const clock = createFakeClock();
  let isGivenUp = false;
  const patience = createNetworkPatience({
    clock,
    seconds: 10,
    onGivenUp: () => {
      isGivenUp = true;
    },
  });
  return { clock, patience, isGivenUp: () => isGivenUp };
}

test("gives up when the provider was not reached for so long, with the last cause", () => {
  const { clock, patience, isGivenUp } = open();
  patience.hear(waiting("first"));
  clock.advance(6000);
  patience.hear(waiting("connect ECONNREFUSED 127.0.0.1:9"));
  clock.advance(3999);
  expect([isGivenUp(), patience.fault]).toEqual([false, null]);
  clock.advance(1);
  expect(isGivenUp()).toBe(true);
  expect(patience.fault?.message).toMatch(
    /^the model provider was not reached within 10 seconds: connect ECONNREFUSED 127\.0\.0\.1:9\. .*--network-timeout\.$/u,
  );
});

test.each([
  ["an item", (patience: ReturnType<typeof open>["patience"]) => patience.hear(item)],
  ["another error", (patience) => patience.hear(waiting("x", "Reconnecting... 1/5"))],
  ["the end of the turn", (patience) => patience.end()],
])("%s ends the waiting, and the next one has its whole time", (_, act) => {
  const { clock, patience, isGivenUp } = open();
  patience.hear(waiting("x"));
  clock.advance(9999);
  act(patience);
  clock.advance(60_000);
  expect(isGivenUp()).toBe(false);
  patience.hear(waiting("y"));
  clock.advance(9999);
  expect(isGivenUp()).toBe(false);
  clock.advance(1);
  expect(isGivenUp()).toBe(true);
});
