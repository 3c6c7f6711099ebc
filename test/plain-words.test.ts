import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => join("src", file))
  .filter(
    (file) =>
      file.endsWith(".ts") && !/\.(?:test|fixture|contract)\.ts$|\/(?:fixtures|generated)\//.test(file),
  );

/** Turns of phrase that avoid the technical noun; the reader has to guess it. */
const RIDDLES: readonly RegExp[] = [
  /^What\b/,
  /\b(?:hears?|heard)\b/,
  /\b(?:is|are|was|were|be) told\b/,
  /\bgo(?:es)? on\b/,
  /\b(?:nobody|whoever|somebody)\b/i,
];

/** The text of the plugin is compared with installed copies, so that a changed comment would make them foreign. */
const FIXED_TEXTS = ["src/cli/lifecycle/opencode-plugin.ts"];

/** The text of each comment, without its markers. */
function commentsIn(text: string): string[] {
  const comments = text.match(/\/\*\*?[\s\S]*?\*\/|(?:^|[ \t])\/\/[^\n]*/gm) ?? [];
  return comments.map((comment) =>
    comment
      .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
}

test("comments use technical nouns", () => {
  const checked = files.filter((file) => !FIXED_TEXTS.includes(file));
  const found = checked.flatMap((file) =>
    commentsIn(readFileSync(file, "utf8"))
      .filter((comment) => RIDDLES.some((riddle) => riddle.test(comment)))
      .map((comment) => `${file}: ${comment.slice(0, 80)}`),
  );
  expect(found).toEqual([]);
});

/** Names that several files export, each with the reason. */
const SHARED_NAMES: Readonly<Record<string, readonly string[]>> = {
  "a schema language has the usual words, and a file imports only one of them": [
    "anyJson",
    "anything",
    "choice",
    "flag",
    "integer",
    "listOf",
    "mapOf",
    "maybe",
    "nullable",
    "object",
    "optional",
    "required",
    "text",
  ],
  "the SDK has the same interface in Node and in browsers": ["ConnectOptions", "connect"],
  "the rows declare a wire type under the name that clients know": [
    "HookEventName",
    "Model",
    "RequestId",
    "Thread",
    "ThreadSettings",
    "Tool",
  ],
  "the generated table has the types of the rows, which it is generated from": [
    "NotificationRow",
    "Order",
    "RequestRow",
    "ServerRequestRow",
    "Stability",
  ],
  "the lifecycle layer depends on nothing": ["JsonObject"],
};

test("an exported name has one meaning", () => {
  const exporters = new Map<string, string[]>();
  const declaration =
    /^export (?:async )?(?:declare )?(?:function\*?|const|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
  for (const file of files) {
    const names = new Set([...readFileSync(file, "utf8").matchAll(declaration)].map(([, name = ""]) => name));
    for (const name of names) exporters.set(name, [...(exporters.get(name) ?? []), file]);
  }
  const shared = [...exporters].filter(([, exporting]) => exporting.length > 1);
  const allowed = Object.values(SHARED_NAMES).flat();
  expect(shared.filter(([name]) => !allowed.includes(name))).toEqual([]);
  // An entry that is not needed any more has to go.
  expect(allowed.filter((name) => !shared.some(([other]) => other === name))).toEqual([]);
});
