import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadRules, openRuleBook } from "./rule-book.ts";
import { matchRules } from "./rule-set.ts";
import { describeRulesFault } from "./rules-fault.ts";

let base = "";
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "heddle-rules-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}

const file = () => readFileSync(join(base, "home/rules/default.rules"), "utf8");
const open = () =>
  openRuleBook({ home: join(base, "home"), configFolders: [join(base, "home"), join(base, "p")] });

test("rules are loaded from all files of all folders, in order", async () => {
  await put("home/rules/b.rules", 'prefix_rule(pattern=["b"])');
  await put("home/rules/a.rules", 'prefix_rule(pattern=["a"])');
  await put("home/rules/notes.txt", "not a rule");
  await put("home/rules/.rules", "not a rule");
  await put("home/rules/sub/c.rules", "not a rule");
  await put("home/d.rules", "not a rule");
  await put("p/rules/e.rules", 'prefix_rule(pattern=["e"], decision="prompt")');
  const { rules, faults } = await loadRules([join(base, "absent"), join(base, "home"), join(base, "p")]);
  expect(faults).toEqual([]);
  expect(rules.prefixRules.map(({ pattern }) => pattern)).toEqual([[["a"]], [["b"]], [["e"]]]);
});

test("an error in a file drops allow rules and keeps the others", async () => {
  await put(
    "home/rules/a.rules",
    'prefix_rule(pattern=["a"])\nprefix_rule(pattern=["b"], decision="forbidden")',
  );
  await put("p/rules/c.rules", '\nprefix_rule(pattern=["c"], decision="prompt")\nprefix_rule(\n');
  const { rules, faults } = await open();
  expect(rules().prefixRules.map(({ decision }) => decision)).toEqual(["forbidden", "prompt"]);
  expect(faults.map(describeRulesFault)).toEqual([
    `failed to parse rules file ${join(base, "p/rules/c.rules")}: Parse error: expected a value, found the end of the file (line 4, column 1)`,
  ]);
});

test("an unreadable folder or file is an error", async () => {
  await put("home/rules", "a file in the way");
  await put("p/rules/a.rules", "");
  await writeFile(join(base, "p/rules/a.rules"), Buffer.from([0xff, 0xfe]));
  const { faults } = await open();
  expect(faults).toEqual([
    {
      path: join(base, "home/rules"),
      range: null,
      message: "failed to read rules files: Not a directory (os error 20)",
    },
    { path: join(base, "p/rules/a.rules"), range: null, message: "rules file is not UTF-8" },
  ]);
});

test("an allowed prefix applies immediately and is written once", async () => {
  const book = await open();
  await Promise.all([
    book.allow(["git", 'say "hi"\n']),
    book.allow(["ls"]),
    book.allow(["git", 'say "hi"\n']),
  ]);
  await book.allow(["ls"]);
  expect(file()).toBe(
    'prefix_rule(pattern=["git", "say \\"hi\\"\\n"], decision="allow")\nprefix_rule(pattern=["ls"], decision="allow")\n',
  );
  expect(matchRules(book.rules(), ["git", 'say "hi"\n', "x"])).toHaveLength(1);
  expect((await open()).rules()).toMatchObject(book.rules());
});

test("a last line without newline is completed before the next one", async () => {
  await put("home/rules/default.rules", "# mine");
  const book = await open();
  await book.allow(["ls"]);
  expect(file()).toBe('# mine\nprefix_rule(pattern=["ls"], decision="allow")\n');
});

test("an empty prefix is rejected, and later ones still work", async () => {
  const book = await open();
  await expect(book.allow([])).rejects.toThrow("prefix rule requires at least one token");
  await book.allow(["ls"]);
  expect(book.rules().prefixRules).toHaveLength(1);
});

test("an allowed prefix does not override a forbidding rule", async () => {
  await put("home/rules/a.rules", 'prefix_rule(pattern=["rm"], decision="forbidden")');
  const book = await open();
  await book.allow(["rm"]);
  expect(matchRules(book.rules(), ["rm"]).map(({ rule }) => rule.decision)).toEqual(["forbidden", "allow"]);
});
