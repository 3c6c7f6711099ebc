import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { failureOfResponse } from "./http-failure.ts";
import { failureInStream } from "./provider-error.ts";

interface Recorded {
  readonly provider: string;
  readonly status: number;
  readonly window: number | null;
  readonly body: unknown;
}

const RECORDED = JSON.parse(readFileSync("fixtures/model/overflow.json", "utf8")) as Recorded[];

function failure(status: number, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const answer = { status, statusLine: `${status}`, headers: {}, body: text, url: "http://x" };
  const { error, retry, contextWindow } = failureOfResponse(answer, {
    nowMs: 0,
    provider: { id: "x", isOpenai: true },
  });
  return [error.codexErrorInfo, retry, contextWindow];
}

describe("a context overflow", () => {
  test.each(RECORDED)("is detected in the error of $provider", ({ status, body, window }) => {
    expect(failure(status, body)).toEqual(["contextWindowExceeded", "never", window]);
  });

  test.each(RECORDED.filter(({ body }) => JSON.stringify(body).startsWith('{"error":{')))(
    "is recognised inside a stream of $provider",
    ({ body, window }) => {
      const { contextWindow, error: told } = failureInStream((body as { error: unknown }).error);
      expect([told.codexErrorInfo, contextWindow]).toEqual(["contextWindowExceeded", window]);
    },
  );
});

test.each<[status: number, body: unknown]>([
  [
    400,
    { error: { message: "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens" } },
  ],
  [400, { error: { message: "invalid model" } }],
  [401, { error: { message: "prompt is too long" } }],
  [
    429,
    { error: { message: "Request too large: maximum context length is 5", code: "rate_limit_exceeded" } },
  ],
  [429, { error: { code: "context_length_exceeded" } }],
  [400, "prompt is too long"],
  [400, [[]]],
  [400, { error: { message: { toString: "x" } } }],
])("%i %j is another failure", (status, body) => {
  expect(failure(status, body)[0]).not.toBe("contextWindowExceeded");
});

test.each(["3", "999999999999", "0", "-5", ","])(
  "an implausible window of %s tokens is ignored",
  (window) => {
    expect(
      failure(400, {
        error: {
          message: `maximum context length is ${window} tokens, context window`,
          code: "context_length_exceeded",
        },
      }),
    ).toEqual(["contextWindowExceeded", "never", null]);
  },
);

test("an error of megabytes is classified quickly", () => {
  const before = performance.now();
  const message = "exceed context limit: 1".repeat(100_000);
  failure(400, { error: { message, metadata: { raw: message } } });
  expect(performance.now() - before).toBeLessThan(1000);
});
