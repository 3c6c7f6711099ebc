import { describe, expect, test } from "vitest";
import type { ThreadItem, Turn } from "../../protocol/generated/types.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createRedaction } from "./redact-thread.ts";

const KEY = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBg", "kqhkiG9w0BAQEF", "-----END PRIVATE KEY-----"];
const redaction = createRedaction({ secrets: ["correct horse"], userHome: "/home/me" });

const redactItem = (item: object): ThreadItem | undefined =>
  redaction.turn({ id: "t", items: [item], hookRuns: [] } as unknown as Turn).items[0];

test.each([
  ["in /home/me/src, not in /home/me2 or /mnt/home/me", "in ~/src, not in /home/me2 or /mnt/home/me"],
  ["file:///home/me", "file://~"],
  ["a correct horse", "a [REDACTED_SECRET]"],
  ["export API_KEY=abc", "export API_KEY=[REDACTED_SECRET]"],
])("%j becomes %j", (text, shown) => {
  expect(redaction.text(text)).toBe(shown);
});

test("properties with names of secrets are redacted at any depth, images are not", () => {
  const image = { type: "image", mimeType: "image/png", data: "AKIAIOSFODNN7EXAMPLE" };
  expect(
    redaction.value({ apiKey: "x", n: 1, list: [{ Authorization: ["y"] }, "/home/me/a"], image }),
  ).toEqual({
    apiKey: "[REDACTED_SECRET]",
    n: 1,
    list: [{ Authorization: ["[REDACTED_SECRET]"] }, "~/a"],
    image,
  });
});

describe("output", () => {
  const outputOf = (aggregatedOutput: string) =>
    redactItem({ type: "commandExecution", command: "x", aggregatedOutput });

  test("keeps its colours", () => {
    expect(outputOf("\u001b[31mred\u001b[0m token=0123456789")).toMatchObject({
      aggregatedOutput: "\u001b[31mred\u001b[0m token=[REDACTED_SECRET]",
    });
  });

  test("loses them where a secret has colours in it", () => {
    expect(outputOf("\u001b[31mAKIAIOSF\u001b[0mODNN7EXAMPLE")).toMatchObject({
      aggregatedOutput: "[REDACTED_SECRET]",
    });
  });
});

test.each(["+", "-", " "])("a key of several lines with the sign %j is redacted in a diff", (sign) => {
  const diff = ["@@ -1,5 +1,5 @@", " a", ...KEY.map((line) => sign + line), "-b", "+c"].join("\n");
  const item = redactItem({
    type: "fileChange",
    changes: [{ path: "/home/me/k", kind: { type: "update", move_path: null }, diff }],
  });
  expect(item).toMatchObject({ changes: [{ path: "~/k" }] });
  const shown = item?.type === "fileChange" ? (item.changes[0]?.diff ?? "") : "";
  expect(shown.split("\n")).toHaveLength(diff.split("\n").length);
  for (const line of KEY.slice(1, -1)) expect(shown).not.toContain(line);
  expect(shown).toContain("\n-b\n+c");
});

test("the secrets of the environment and of the configuration are known", () => {
  const env = { MY_TOKEN: "environment", PATH: "/usr/bin:/bin", CORP: "of a provider", SHORT_TOKEN: "x" };
  const config = {
    model: "gpt-example",
    model_providers: { corp: { env_key: "CORP", http_headers: { "X-Corp": "a header of it" } } },
    webhooks: [{ secret: ["whsec_0123456789"] }],
  };
  expect(knownSecrets({ env, config })).toEqual([
    "whsec_0123456789",
    "a header of it",
    "of a provider",
    "environment",
  ]);
});
