import { expect, test } from "vitest";
import { failureInStream, failureOfIncomplete } from "./provider-error.ts";

const QUOTA = "Quota exceeded. Check your plan and billing details.";

/** Code, message, codexErrorInfo, whether it is retried. Seen on the wire of the peer. */
const CODES = [
  [
    "context_length_exceeded",
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    "contextWindowExceeded",
    "never",
  ],
  ["insufficient_quota", QUOTA, "usageLimitExceeded", "never"],
  ["credit_balance_exhausted", QUOTA, "usageLimitExceeded", "never"],
  ["project_spend_limit_exceeded", QUOTA, "usageLimitExceeded", "never"],
  ["organization_spend_limit_exceeded", QUOTA, "usageLimitExceeded", "never"],
  [
    "usage_not_included",
    "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
    "usageLimitExceeded",
    "never",
  ],
  ["cyber_policy", "words", "cyberPolicy", "never"],
  ["misalignment_policy_violation", "words", "misalignmentPolicyViolation", "never"],
  ["bio_policy", "words", "other", "never"],
  ["invalid_prompt", "words", "other", "never"],
  [
    "server_is_overloaded",
    "Selected model is at capacity. Please try a different model.",
    "serverOverloaded",
    "never",
  ],
  ["slow_down", "rate limit exceeded: words", "rateLimitExceeded", "stream"],
  ["rate_limit_exceeded", "rate limit exceeded: words", "rateLimitExceeded", "stream"],
  ["flex_unavailable", "Flex capacity unavailable.", "flexUnavailable", "never"],
  [
    "policy_capacity_unavailable",
    "Policy-restricted capacity is unavailable. Please try again later.",
    "policyCapacityUnavailable",
    "never",
  ],
  ["model_not_found", "words", "modelNotFound", "never"],
  ["server_error", "stream disconnected before completion: words", "other", "stream"],
  ["usage_limit_reached", "stream disconnected before completion: words", "other", "stream"],
  ["constructor", "stream disconnected before completion: words", "other", "stream"],
] as const;

test.each(CODES)("a response that failed with %s is mapped to the protocol's error", (code, ...expected) => {
  const { error, retry } = failureInStream({ code, message: "words" });
  expect([error.message, error.codexErrorInfo, retry]).toEqual(expected);
});

test("a failed response without an error is a broken stream", () => {
  for (const value of [undefined, null, "text", []]) {
    expect(failureInStream(value).error.message).toBe(
      "stream disconnected before completion: response.failed event received",
    );
  }
});

test("replacement patterns in a message are kept literally", () => {
  expect(failureInStream({ code: "server_error", message: "costs $& and $1" }).error.message).toBe(
    "stream disconnected before completion: costs $& and $1",
  );
});

test("the retry delay in the message applies to rate limits only", () => {
  const wait = (code: string, message: string) => failureInStream({ code, message }).delayMs;
  expect(wait("rate_limit_exceeded", "Please try again in 1.5s.")).toBe(1500);
  expect(wait("slow_down", "Try again in 20 seconds")).toBe(20_000);
  expect(wait("rate_limit_exceeded", "try again in 300ms")).toBe(300);
  expect(wait("rate_limit_exceeded", "try again soon")).toBeNull();
  expect(wait("server_error", "try again in 1.5s")).toBeNull();
});

test("the details of a misalignment are preserved", () => {
  const misalignment = { error_type: "et", steer: { message: "s" }, review_target: "rt" };
  const error = { code: "misalignment_policy_violation", message: "no", misalignment };
  expect(failureInStream(error).error.misalignment).toEqual({
    errorType: "et",
    detailedExplanation: null,
    steer: { message: "s" },
    reviewTarget: "rt",
  });
  expect(failureInStream({ ...error, code: "server_error" }).error.misalignment).toBeNull();
});

test("an incomplete response is retried only after a content filter", () => {
  expect(failureOfIncomplete("max_output_tokens")).toMatchObject({
    retry: "never",
    error: { message: "Incomplete response returned, reason: max_output_tokens", codexErrorInfo: "other" },
  });
  expect(failureOfIncomplete("content_filter")).toMatchObject({
    retry: "stream",
    error: {
      message: "stream disconnected before completion: Incomplete response returned, reason: content_filter",
      codexErrorInfo: "other",
    },
  });
});
