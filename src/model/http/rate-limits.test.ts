import { expect, test } from "vitest";
import { parseRateLimits } from "./rate-limits.ts";

const EMPTY = {
  limitId: "codex",
  limitName: null,
  normalModelSlug: null,
  primary: null,
  secondary: null,
  credits: null,
  individualLimit: null,
  spendControlReached: null,
  planType: null,
  rateLimitReachedType: null,
};

test("a response without limits yields the empty main limit", () => {
  expect(parseRateLimits({})).toEqual([EMPTY]);
});

test("each header family is a separate limit", () => {
  const headers = {
    "x-codex-primary-used-percent": "12.5",
    "x-codex-primary-window-minutes": "60",
    "x-codex-primary-reset-at": "1893456000",
    "x-codex-secondary-used-percent": "0",
    "x-codex-other-primary-used-percent": "5",
    "x-codex-other-limit-name": " Other ",
    "x-codex-another-primary-used-percent": "0",
  };
  expect(parseRateLimits(headers)).toEqual([
    { ...EMPTY, primary: { usedPercent: 13, windowDurationMins: 60, resetsAt: 1893456000 } },
    {
      ...EMPTY,
      limitId: "codex_other",
      limitName: "Other",
      primary: { usedPercent: 5, windowDurationMins: null, resetsAt: null },
    },
  ]);
});

test("credits need all of their headers", () => {
  const credits = (headers: Record<string, string>) => parseRateLimits(headers)[0]?.credits;
  expect(
    credits({
      "x-codex-credits-has-credits": "True",
      "x-codex-credits-unlimited": "0",
      "x-codex-credits-balance": " 9 ",
    }),
  ).toEqual({ hasCredits: true, unlimited: false, balance: "9" });
  expect(credits({ "x-codex-credits-has-credits": "true" })).toBeNull();
  expect(credits({ "x-codex-credits-has-credits": "yes", "x-codex-credits-unlimited": "1" })).toBeNull();
});
