import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { parseToml } from "../config/toml/parse-toml.ts";
import { editSkillRules, type SkillSelector } from "./edit-skill-rules.ts";
import { createSkillFiles } from "./skill-files.fixture.ts";

async function edit(lines: readonly string[], selector: SkillSelector, enabled: boolean, folder = "/") {
  const text = lines.map((line) => `${line}\n`).join("");
  const parsed = parseToml(text, "config.toml");
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const edited = await editSkillRules({ text, table: parsed.table, folder }, selector, enabled);
  parse(edited);
  return edited.split("\n").slice(0, -1);
}

const RULE_A = ["[[skills.config]]", 'name = "a"', "enabled = false"];
const RULE_B = ["[[skills.config]]", 'path = "/b/SKILL.md"', "enabled = false"];
const A = { name: "a" };
const B = { path: "/b/SKILL.md" };

test.each<[string, string[], string[]]>([
  ["an empty file", [], RULE_A],
  ["other settings", ["# top", 'model = "m" # keep'], ["# top", 'model = "m" # keep', "", ...RULE_A]],
  [
    "dotted keys",
    ["skills.bundled.enabled = true", "[x]"],
    ["skills.bundled.enabled = true", "[x]", "", ...RULE_A],
  ],
  [
    "other keys of skills",
    ["[skills]", "include_instructions = true", "", "# c", "[x]"],
    ["[skills]", "include_instructions = true", "", ...RULE_A, "", "# c", "[x]"],
  ],
  ["other rules", [...RULE_B, "", "[x]"], [...RULE_B, "", ...RULE_A, "", "[x]"]],
  [
    "the opposite",
    ["[[skills.config]]", 'name = " a " # c', "enabled = true # d"],
    ["[[skills.config]]", 'name = " a " # c', "enabled = false # d"],
  ],
  ["the rule itself", [...RULE_B, ...RULE_A], [...RULE_B, ...RULE_A]],
  [
    "rules in one line",
    ["[skills]", 'config = [{ name = "b", enabled = false }] # c'],
    ["[skills]", 'config = [{ name = "b", enabled = false }, { name = "a", enabled = false }] # c'],
  ],
  [
    "the opposite in one line",
    ['skills = { config = [{ name = "a", enabled = true }] }'],
    ['skills = { config = [{ name = "a", enabled = false }] }'],
  ],
])("a skill is switched off in a file with %s", async (_, before, after) => {
  expect(await edit(before, A, false)).toEqual(after);
});

test.each<[string, string[], string[]]>([
  ["nothing about it", RULE_A, RULE_A],
  ["nothing else", RULE_B, []],
  [
    "rules around it",
    ["x = 1", "", ...RULE_A, "", "# about b", ...RULE_B, "", "[y]"],
    ["x = 1", "", ...RULE_A, "", "[y]"],
  ],
  [
    "other keys of skills",
    ["[skills]", "include_instructions = true", "", ...RULE_B],
    ["[skills]", "include_instructions = true"],
  ],
  [
    "rules in one line",
    ["[skills]", 'config = [{ path = "/b/SKILL.md", enabled = false }, { name = "a", enabled = false }]'],
    ["[skills]", 'config = [{ name = "a", enabled = false }]'],
  ],
])("a skill is switched on in a file with %s", async (_, before, after) => {
  expect(await edit(before, B, true)).toEqual(after);
});

test("paths are resolved before comparison, relative ones from the file", async () => {
  const files = createSkillFiles();
  const path = files.skill("real/a", "a");
  files.link("link", files.path("real"));
  const rule = ["[[skills.config]]", `path = "${path}"`, "enabled = false"];
  expect(await edit([], { path: files.path("link/a/SKILL.md") }, false)).toEqual(rule);
  const relative = ["[[skills.config]]", 'path = "link/a/SKILL.md"', "enabled = false"];
  expect(await edit(relative, { path }, true, files.folder)).toEqual([]);
});

test("disabling and enabling restores the text, whatever the name", async () => {
  const name = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => text.trim() !== "" && text.trim() !== "a");
  const before = ["# top", ...RULE_A, "", "[x]", "y = 1"];
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      const off = await edit(before, { name: text }, false);
      expect(off).not.toEqual(before);
      expect(await edit(off, { name: text }, true)).toEqual(before);
    }),
  );
});
