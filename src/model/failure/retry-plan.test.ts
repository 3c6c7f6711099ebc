import { expect, test } from "vitest";
import { createModelFailure } from "./failure.ts";
import { backoffMs, createRetryPlan } from "./retry-plan.ts";

const broken = createModelFailure("disconnected", { detail: "x" });

test("the backoff doubles with a jitter of a tenth", () => {
  expect([1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, () => 0.5))).toEqual([
    200, 400, 800, 1600, 3200,
  ]);
  expect([backoffMs(1, () => 0), backoffMs(1, () => 0.999_999)]).toEqual([180, 219]);
});

test("network retries do not count as stream retries", () => {
  const plan = createRetryPlan({ streamMaxRetries: 1, waitsForNetwork: true, random: () => 0.5 });
  const unreachable = createModelFailure("unreachable", { detail: "x" });
  const steps = [unreachable, broken, unreachable, broken].map((failure) => plan.next(failure));
  expect(
    steps.map((step) => (step.type === "retrying" ? [step.attempt, step.max, step.delayMs] : step.type)),
  ).toEqual([[1, null, 5_000], [1, 1, 200], [2, null, 10_000], "failed"]);
});

test("a permanent failure is not retried", () => {
  const plan = createRetryPlan({ streamMaxRetries: 5, waitsForNetwork: true, random: () => 0.5 });
  const failure = createModelFailure("quota");
  expect(plan.next(failure)).toEqual({ type: "failed", error: failure.error });
});
