import fc from "fast-check";
import { expect, test } from "vitest";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";

const read = (head: string) => readFrontMatter(`---\n${head}\n---\nBody\n`, "folder");
const skill = (name: string, description: string, shortDescription: string | null = null) => ({
  ok: true as const,
  value: { name, description, shortDescription } satisfies FrontMatter,
});
const fault = (message: string) => ({ ok: false as const, message });

test.each([
  ["name: n\ndescription: d", skill("n", "d")],
  ["description: d", skill("folder", "d")],
  ["name: ~\ndescription: d", skill("folder", "d")],
  ["name:  a  b\ndescription: |\n  one\n  two\n", skill("a b", "one two")],
  ["name: n\ndescription: >-\n  one\n  two\n\n  three\nallowed-tools:\n  - a", skill("n", "one two three")],
  ["name: 123\ndescription: true", skill("123", "true")],
  ["name: n\ndescription: d\nmetadata:\n  short-description:  s  t\n  version: 1.0", skill("n", "d", "s t")],
  ["name: n\ndescription: d\nmetadata: {short-description: s}", skill("n", "d", "s")],
  ["name: n\ndescription: d\nmetadata:", skill("n", "d")],
  ["name: n\r\ndescription: d\r", skill("n", "d")],
  ["name: n\ndescription: C# code #1 thing", skill("n", "C# code")],
])("%j is a head", (head, result) => {
  expect(read(head)).toEqual(result);
});

test.each([
  ["name: n\ndescription: Build for AWS: ECS", skill("n", "Build for AWS: ECS")],
  ["name: n\ndescription: Use when: x # c", skill("n", "Use when: x")],
  ['name: n\ndescription: say "hi: there" now', skill("n", 'say "hi: there" now')],
  [
    "name: n\ndescription: d\nmetadata:\n  short-description: What's in: it",
    skill("n", "d", "What's in: it"),
  ],
  ["name: n\ndescription: d\nargument-hint: [a] [b]", skill("n", "d")],
  ["name: n\ndescription: d\nargument-hint: <duration: e.g. 7d>\ntags: [a,@b/c]", skill("n", "d")],
  ["name: n\ndescription: |-\n  For AWS: ECS\nhint: <a: b>", skill("n", "For AWS: ECS")],
  ["name: [unclosed\ndescription: @you", skill("[unclosed", "@you")],
  ["name: {a: b}\ndescription: `code`", skill("{a: b}", "`code`")],
])("%j is read as the prose that it is", (head, result) => {
  expect(read(head)).toEqual(result);
});

test.each([
  ["name: n", fault("missing field `description`")],
  ["name: n\ndescription: ~", fault("missing field `description`")],
  ["# nothing", fault("missing field `description`")],
  ["Description: d", fault("missing field `description`")],
  [
    "name: n\n  description: d",
    fault("invalid YAML: mapping values are not allowed in this context at line 2 column 14"),
  ],
  ["name: n\nname: m\ndescription: d", fault("invalid YAML: duplicate field `name`")],
  [
    "description: d\nmetadata:\n  short-description: a\n  short-description: b",
    fault("invalid YAML: metadata: duplicate field `short-description` at line 3 column 3"),
  ],
  ["- a", fault("invalid YAML: invalid type: sequence, expected struct SkillFrontmatter")],
  ["text", fault('invalid YAML: invalid type: string "text", expected struct SkillFrontmatter')],
  [
    "name: n\ndescription: [a, b]",
    fault("invalid YAML: description: invalid type: sequence, expected a string at line 2 column 14"),
  ],
  [
    "name: n\ndescription:\n  a: b",
    fault("invalid YAML: description: invalid type: map, expected a string at line 3 column 3"),
  ],
  ...[
    ["foo", 'string "foo"'],
    ["''", 'string ""'],
    ["5", "integer `5`"],
    ["5.5", "floating point `5.5`"],
    ["true", "boolean `true`"],
    ["~", "unit value"],
  ].map(([value, name]): [string, ReturnType<typeof fault>] => [
    `description: d\nmetadata: ${value}`,
    fault(
      `invalid YAML: metadata: invalid type: ${name}, expected struct SkillFrontmatterMetadata at line 2 column 11`,
    ),
  ]),
  [`name: ${"n".repeat(65)}\ndescription: d`, fault("invalid name: exceeds maximum length of 64 characters")],
])("%j is refused", (head, result) => {
  expect(read(head)).toEqual(result);
});

test.each([
  "",
  "# Title\n",
  "---\nname: n\n",
  "---\n---\n",
  "\n---\nname: n\n---\n",
  "\ufeff---\ndescription: d\n---\n",
])("%j has no head", (contents) => {
  expect(readFrontMatter(contents, "folder")).toEqual(fault("missing YAML frontmatter delimited by ---"));
});

test("lengths count characters, and descriptions may be long", () => {
  const name = "💡".repeat(64);
  const description = "d".repeat(5000);
  expect(read(`name: ${name}\ndescription: ${description}`)).toEqual(skill(name, description));
});

test("a description in double quotes is preserved", () => {
  const words = fc.array(
    fc.string({ unit: "grapheme-ascii", minLength: 1 }).filter((word) => !/\s/.test(word)),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(words, (parts) => {
      const description = parts.join(" ");
      expect(read(`name: n\ndescription: ${JSON.stringify(description)}`)).toEqual(skill("n", description));
    }),
  );
});

test("any front matter is parsed or rejected", () => {
  const marks = fc.constantFrom(
    "name: ",
    "description: ",
    "metadata:",
    "\n",
    "  ",
    "- ",
    ": ",
    "#",
    "'",
    '"',
    "[",
    "}",
    "|",
    "a",
  );
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 20 }), (parts) => {
      const result = read(parts.join(""));
      expect(result.ok ? result.value.description : result.message).not.toBe("");
    }),
    { numRuns: 1000 },
  );
});
