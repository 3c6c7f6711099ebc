import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The ports of the store, and what their users call them by. */
const PORTS: readonly (readonly [file: string, name: string, receivers: string])[] = [
  ["store.ts", "Store", "store|store\\(\\)\\)?|opened|its"],
  ["journal.ts", "Journal", "journal|threads\\.journal\\(threadId\\)|own"],
  ["queue.ts", "Queue", "queue|queue\\(\\)\\)|its|store\\.queue"],
  ["queue-log.ts", "QueueLog", "queue|store\\.queue"],
  ["decisions.ts", "Decisions", "decisions|all|decisions\\(\\)\\)"],
  ["leases.ts", "Leases", "leases|this"],
  [
    "thread-store.ts",
    "ThreadStore",
    "threads|history|history\\(\\)\\)|writer|indexer|get\\(\\)\\)\\.threads",
  ],
  ["file-facet.ts", "FileFacet", "files"],
];

const SOURCE = "src";
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !/\.(?:test|fixture|contract)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(SOURCE, file), "utf8") }));

/** The members that an interface declares itself. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(join(SOURCE, "store", file), "utf8");
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:?<]/gm)].map(([, member = ""]) => member);
}

/** Whether a user calls it on something that is named as the port, or picks or destructures it. */
function hasCaller(member: string, name: string, receivers: string): boolean {
  const called = new RegExp(`(?:${receivers})\\??\\.${member}\\b`);
  const picked = new RegExp(`Pick<(?:\\w+\\[)?"?${name}"?\\]?,[^>]*"${member}"`);
  const destructured = new RegExp(
    `\\{[^{}]*\\b${member}\\b[^{}]*\\}(?:: ${name}\\b| = (?:await )?\\S*(?:${receivers}))`,
  );
  return files
    .filter(({ file }) => !/^store\/[\w-]+\.ts$/.test(file))
    .some(({ text }) => called.test(text) || picked.test(text) || destructured.test(text));
}

test.each(PORTS)("%s: each member of %s has a caller in production", (file, name, receivers) => {
  const members = membersOf(file, name);
  expect(members.length).toBeGreaterThan(0);
  expect(members.filter((member) => !hasCaller(member, name, receivers))).toEqual([]);
});
