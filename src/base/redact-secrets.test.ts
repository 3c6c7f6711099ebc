import { expect, test } from "vitest";
import { redactCommand, redactSecrets } from "./redact-secrets.ts";

test.each([
  ["curl -H 'Authorization: bearer\tabcdefghijklmnop'", "curl -H 'Authorization: Bearer [REDACTED_SECRET]'"],
  ["Bearer sk-abcdefghijklmnopqrst+rest==; ls", "Bearer [REDACTED_SECRET]; ls"],
  ["echo sk-abcdefghijklmnopqrstuvwxyz", "echo [REDACTED_SECRET]"],
  ["aws AKIAIOSFODNN7EXAMPLE x", "aws [REDACTED_SECRET] x"],
  ["PASSWORD=hunter2hunter2 run", "PASSWORD=[REDACTED_SECRET] run"],
  [`api-key: "0123456789" next`, `api-key: "[REDACTED_SECRET]" next`],
])("hides the secret of %s", (text, shown) => {
  expect(redactSecrets(text)).toBe(shown);
  expect(redactSecrets(shown)).toBe(shown);
});

test.each([
  "Bearer of good news",
  "Bearer abcdefghijklmno",
  "NotABearer abcdefghijklmnop",
  "Bearer\nabcdefghijklmnop",
  "sk-tooshort",
  "password=short",
  "tokens=abcdefghijkl",
])("leaves %j alone", (text) => {
  expect(redactSecrets(text)).toBe(text);
});

test("an action keeps everything but its secrets", () => {
  const action = {
    type: "search",
    command: "rg token=abcdefgh12 src",
    query: "token=abcdefgh12",
    path: "src",
  };
  expect(redactCommand(action)).toEqual({
    type: "search",
    command: "rg token=[REDACTED_SECRET] src",
    query: "token=[REDACTED_SECRET]",
    path: "src",
  });
  expect(redactCommand({ type: "search", command: "rg", query: null })).toEqual({
    type: "search",
    command: "rg",
    query: null,
  });
});
