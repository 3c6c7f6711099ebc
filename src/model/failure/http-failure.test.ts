import { describe, expect, test } from "vitest";
import { failureOfResponse } from "./http-failure.ts";

const URL = "http://127.0.0.1:1/v1/responses";
const NAMES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
const NOON = new Date(2026, 10, 15, 12, 0).getTime();

const OPENAI = { id: "openai", isOpenai: true };
const OTHER = { id: "mine", isOpenai: false };

function failure(status: number, body: unknown, headers: Record<string, string> = {}, provider = OPENAI) {
  return failureAt(URL, status, body, { headers, provider });
}

function failureAt(url: string, status: number, body: unknown, { headers = {}, provider = OTHER } = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const statusLine = `${status} ${NAMES[status] ?? "<unknown status code>"}`;
  return failureOfResponse({ status, statusLine, headers, body: text, url }, { nowMs: NOON, provider });
}

const code = (code: string, message = "words") => ({ error: { code, message } });
const type = (type: string, more: object = {}) => ({ error: { type, message: "words", ...more } });
const OVERLOADED = "Selected model is at capacity. Please try a different model.";
const QUOTA = "Quota exceeded. Check your plan and billing details.";
const POLICY = "Policy-restricted capacity is unavailable. Please try again later.";

type Row = readonly [status: number, body: unknown, message: string, info: unknown, retry: string];

function unexpected(status: number, body: unknown, words: string): Row {
  const name = NAMES[status] ?? "<unknown status code>";
  const info = { httpConnectionFailed: { httpStatusCode: status } };
  return [status, body, `unexpected status ${status} ${name}: ${words}, url: ${URL}`, info, "stream"];
}

/** Status, body, message, codexErrorInfo, whether it is retried. Seen on the wire of the peer. */
const ANSWERS: readonly Row[] = [
  [400, "plain text", "plain text", "other", "never"],
  [400, "", "Unknown error", "other", "never"],
  [400, code("some_code"), "words", "other", "never"],
  [400, code("cyber_policy"), "words", "cyberPolicy", "never"],
  [
    400,
    code("cyber_policy", ""),
    "This request has been flagged for possible cybersecurity risk.",
    "cyberPolicy",
    "never",
  ],
  [400, code("bio_policy", ""), "This content was flagged for possible biological risk.", "other", "never"],
  [400, code("invalid_prompt"), "words", "other", "never"],
  [400, { error: { code: "invalid_prompt" } }, "Invalid request.", "other", "never"],
  [400, code("misalignment_policy_violation"), "words", "misalignmentPolicyViolation", "never"],
  [
    400,
    code("misalignment_policy_violation", " "),
    "This request was blocked due to a misalignment policy violation.",
    "misalignmentPolicyViolation",
    "never",
  ],
  [403, code("misalignment_policy_violation"), "words", "misalignmentPolicyViolation", "never"],
  [400, code("model_not_found"), "words", "modelNotFound", "never"],
  [403, code("model_not_found"), "words", "modelNotFound", "never"],
  [404, { error: { code: "model_not_found" } }, "model_not_found", "modelNotFound", "never"],
  [
    400,
    { error: { message: "The image data you provided does not represent a valid image" } },
    "Invalid image in your last message. Please remove it and try again.",
    "badRequest",
    "never",
  ],
  [
    500,
    code("server_is_overloaded"),
    "We’re currently experiencing high demand, which may cause temporary errors.",
    "internalServerError",
    "stream",
  ],
  [503, code("server_is_overloaded"), OVERLOADED, "serverOverloaded", "never"],
  [503, code("slow_down"), "rate limit exceeded: words", "rateLimitExceeded", "stream"],
  [503, code("policy_capacity_unavailable"), POLICY, "policyCapacityUnavailable", "never"],
  [429, code("insufficient_quota"), QUOTA, "usageLimitExceeded", "never"],
  [429, type("insufficient_quota"), QUOTA, "usageLimitExceeded", "never"],
  [429, code("credit_balance_exhausted"), QUOTA, "usageLimitExceeded", "never"],
  [429, code("project_spend_limit_exceeded"), QUOTA, "usageLimitExceeded", "never"],
  [429, code("organization_spend_limit_exceeded"), QUOTA, "usageLimitExceeded", "never"],
  [429, code("flex_unavailable"), "Flex capacity unavailable.", "flexUnavailable", "never"],
  [
    429,
    type("usage_not_included"),
    "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
    "usageLimitExceeded",
    "never",
  ],
  [
    429,
    type("usage_limit_reached"),
    "You’ve hit your usage limit. Try again later.",
    "usageLimitExceeded",
    "never",
  ],
  [
    429,
    type("anything"),
    "exceeded retry limit, last status: 429 Too Many Requests",
    { responseTooManyFailedAttempts: { httpStatusCode: 429 } },
    "never",
  ],
  unexpected(401, code("model_not_found"), "words"),
  unexpected(403, code("cyber_policy"), "words"),
  unexpected(404, "not found here", "not found here"),
  unexpected(422, "", "Unknown error"),
  unexpected(503, type("slow_down"), "words"),
  unexpected(529, code("constructor"), "words"),
];

test.each(ANSWERS)("%i %j is mapped to the protocol's error", (status, body, ...expected) => {
  const { error, retry } = failure(status, body);
  expect([error.message, error.codexErrorInfo, retry]).toEqual(expected);
});

test("a retry-after header makes capacity errors retryable, and no others", () => {
  const asked = { "retry-after": "3" };
  const retries = (status: number, body: unknown) => {
    const { retry, delayMs } = failure(status, body, asked);
    return [retry, delayMs];
  };
  expect(retries(429, "")).toEqual(["stream", 3000]);
  expect(retries(503, code("server_is_overloaded"))).toEqual(["stream", 3000]);
  expect(retries(503, code("policy_capacity_unavailable"))).toEqual(["stream", 3000]);
  expect(retries(429, code("flex_unavailable"))).toEqual(["never", 3000]);
  expect(retries(429, code("insufficient_quota"))).toEqual(["never", 3000]);
  expect(retries(400, "")).toEqual(["never", 3000]);
});

test("only server errors are resent", () => {
  expect([400, 401, 429, 500, 503].map((status) => failure(status, "").resend)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test("a retry contains the status if the protocol does", () => {
  expect([401, 429, 500].map((status) => failure(status, "").httpStatus)).toEqual([401, 429, null]);
  expect(failure(503, code("slow_down")).httpStatus).toBeNull();
});

describe("an unexpected status", () => {
  test("contains the URL and request ids", () => {
    const headers = {
      "x-request-id": "req_1",
      "cf-ray": "ray1",
      "x-openai-authorization-error": "bad",
      "x-error-json": Buffer.from('{"error":{"code":"cc"}}').toString("base64"),
    };
    expect(failure(401, code("x"), headers).error.message).toBe(
      `unexpected status 401 Unauthorized: words, url: ${URL}, cf-ray: ray1, request id: req_1, auth error: bad, auth error code: cc`,
    );
  });

  test("is quoted up to a thousand characters", () => {
    const { message } = failure(403, "x".repeat(3000)).error;
    expect(message).toBe(`unexpected status 403 Forbidden: ${"x".repeat(1000)}..., url: ${URL}`);
  });

  test("from Cloudflare is named as such", () => {
    expect(failure(403, "<html>Cloudflare blocked you</html>").error.message).toBe(
      `Access blocked by Cloudflare. This usually happens when connecting from a restricted region (status 403 Forbidden), url: ${URL}`,
    );
  });
});

test("a 429 error contains the request id", () => {
  expect(failure(429, "", { "cf-ray": "ray9" }).error.message).toBe(
    "exceeded retry limit, last status: 429 Too Many Requests, request id: ray9",
  );
});

describe("an exhausted plan", () => {
  const text = (more: object, headers: Record<string, string> = {}) =>
    failure(429, type("usage_limit_reached", more), headers).error.message;
  const seconds = (...date: [number, number, number, number, number]) => new Date(...date).getTime() / 1000;

  test.each([
    [
      "plus",
      "Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again later.",
    ],
    ["pro", "Visit https://chatgpt.com/settings/usage to purchase more credits or try again later."],
    ["team", "To get more access now, send a request to your admin or try again later."],
    [
      "free",
      "Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), or try again later.",
    ],
    ["enterprise", "Try again later."],
    ["constructor", "Try again later."],
  ])("of type %s gets its advice", (plan, way) => {
    expect(text({ plan_type: plan })).toBe(`You’ve hit your usage limit. ${way}`);
  });

  test("gets the reset time, with the date unless it is today", () => {
    expect(text({ resets_at: seconds(2026, 10, 15, 18, 5) })).toBe(
      "You’ve hit your usage limit. Try again at 6:05 PM.",
    );
    const days = [1, 2, 3, 4, 11, 12, 13, 21].map((day) =>
      /Jan (\S+),/.exec(text({ resets_at: seconds(2030, 0, day, 0, 0) })),
    );
    expect(days.map((match) => match?.[1])).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "13th",
      "21st",
    ]);
    expect(text({ resets_at: seconds(2030, 0, 1, 0, 0) })).toBe(
      "You’ve hit your usage limit. Try again at Jan 1st, 2030 12:00 AM.",
    );
  });

  test("gets the message of the headers instead", () => {
    expect(text({}, { "x-codex-promo-message": "Buy more" })).toBe(
      "You’ve hit your usage limit. Buy more, or try again later.",
    );
    expect(
      text({}, { "x-codex-active-limit": "codex_other", "x-codex-other-limit-name": "other-model" }),
    ).toBe("You’ve hit your usage limit for other-model. Switch to another model now, or try again later.");
    expect(text({}, { "x-codex-rate-limit-reached-type": "workspace_owner_credits_depleted" })).toBe(
      "Your workspace is out of credits. Add credits to continue.",
    );
  });
});

describe("a provider other than OpenAI", () => {
  const told = (url: string, status: number, body: unknown, headers = {}) => {
    const { error, retry } = failureAt(url, status, body, { headers });
    return [error.message, retry];
  };
  const CHAT = "http://h/v1/chat/completions";

  test.each<[url: string, status: number, body: unknown, message: string]>([
    [
      CHAT,
      401,
      code("x", "bad key"),
      `401 Unauthorized: bad key, url: ${CHAT}; check the key of the model provider \`mine\``,
    ],
    [
      CHAT,
      402,
      { error: "no money" },
      `402 <unknown status code>: no money, url: ${CHAT}; add credit to the account`,
    ],
    [
      CHAT,
      403,
      "",
      `403 Forbidden: Unknown error, url: ${CHAT}; check what the key may be used for, and from where`,
    ],
    [
      CHAT,
      404,
      "<html><title>Not here</title>",
      `404 Not Found: Not here, url: ${CHAT}; check base_url and wire_api of the model provider \`mine\``,
    ],
    [
      CHAT,
      404,
      { message: "The model `x` does not exist." },
      `404 Not Found: The model \`x\` does not exist., url: ${CHAT}; check \`model\`, or ask the provider which ones it has`,
    ],
    [
      URL,
      404,
      { detail: "Not Found" },
      `404 Not Found: Not Found, url: ${URL}; the model provider \`mine\` may have no Responses API: try \`wire_api = "chat"\`, or correct base_url`,
    ],
    [
      `${URL}?v=1`,
      405,
      "",
      `405 <unknown status code>: Unknown error, url: ${URL}?v=1; the model provider \`mine\` may have no Responses API: try \`wire_api = "chat"\`, or correct base_url`,
    ],
  ])("is not retried after %s %i, and the error contains advice", (url, status, body, message) => {
    expect(told(url, status, body)).toEqual([`unexpected status ${message}`, "never"]);
  });

  test("is quoted in a 429 error", () => {
    const message =
      "too many requests (429 Too Many Requests, request id: r1): free models have 20 a day; wait, or ask the provider for a higher limit";
    const body = { error: { message: "free models have 20 a day" } };
    expect(told(CHAT, 429, body, { "retry-after": "3", "request-id": "r1" })).toEqual([message, "stream"]);
    expect(told(CHAT, 429, body, { "request-id": "r1" })).toEqual([message, "never"]);
  });

  test("is retried after a server error", () => {
    expect([500, 502, 503, 529, 408].map((status) => told(CHAT, status, "")[1])).toEqual(
      Array(5).fill("stream"),
    );
  });
});

test.each<[said: unknown, shown: string]>([
  [{ error: { message: " one\n\ttwo " } }, "one two"],
  [{ error: { message: "\u001b[31mred\u202e\u0000" } }, "\\u{1b}[31mred\\u{202e}\\u{0}"],
  [{ error: { message: "" } }, '{"error":{"message":""}}'],
  [{ error: "x".repeat(5000) }, `${"x".repeat(1000)}...`],
  [{ error: `${"x".repeat(999)}😀y` }, `${"x".repeat(999)}...`],
  [[{ error: { message: "in a list" } }], "in a list"],
])("what a provider said is one line that can be shown: %#", (said, shown) => {
  expect(failureAt(URL, 400, said).error.message).toBe(shown);
});
