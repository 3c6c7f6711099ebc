import { describe, expect, test } from "vitest";
import { failureOfResponse } from "./http-failure.ts";
import { MAX_RESET_MS } from "./usage-limit-reset.ts";

const NOW = Date.UTC(2026, 10, 18);
const SECOND = 1000;

function causeOf(members: object, headers: Record<string, string> = {}, status = 429) {
  const body = JSON.stringify({ error: { type: "usage_limit_reached", ...members } });
  const answer = { status, statusLine: `${status}`, headers, body, url: "http://x" };
  return failureOfResponse(answer, { nowMs: NOW, provider: { id: "x", isOpenai: true } }).cause;
}

const until = (resetsAtMs: number) => ({ kind: "usageLimit", resetsAtMs });

describe("the end of a usage limit", () => {
  test("is named in the body, as a time or from now on", () => {
    expect(causeOf({ resets_at: NOW / SECOND + 60 })).toEqual(until(NOW + 60 * SECOND));
    expect(causeOf({ resets_in_seconds: 90 })).toEqual(until(NOW + 90 * SECOND));
    expect(causeOf({ resets_at: NOW / SECOND - 60 })).toEqual(until(NOW));
  });

  test("is that of the last exhausted window in the headers", () => {
    const at = (seconds: number) => String(NOW / SECOND + seconds);
    const headers = {
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-reset-at": at(10),
      "x-codex-secondary-used-percent": "100.5",
      "x-codex-secondary-reset-at": at(20),
      "x-other-primary-used-percent": "99",
      "x-other-primary-reset-at": at(30),
    };
    expect(causeOf({}, headers)).toEqual(until(NOW + 20 * SECOND));
  });

  test.each([
    {},
    { resets_at: "soon" },
    { resets_at: (NOW + MAX_RESET_MS) / SECOND + 1 },
    { resets_in_seconds: 1e308 },
  ])("is unknown with %j", (members) => {
    expect(causeOf(members)).toBe(null);
  });
});

test.each<[number, object, unknown]>([
  [529, { type: "overloaded_error" }, { kind: "overloaded" }],
  [500, { type: "x" }, { kind: "overloaded" }],
  [429, { type: "rate_limit_error" }, { kind: "overloaded" }],
  [429, { type: "insufficient_quota" }, null],
  [401, { type: "x" }, null],
  [400, { type: "x" }, null],
  [413, { type: "x" }, null],
  [422, { type: "x" }, null],
])("status %i with %j has the cause %j", (status, members, cause) => {
  expect(causeOf(members, {}, status)).toEqual(cause);
});
