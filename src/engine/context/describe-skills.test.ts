import fc from "fast-check";
import { expect, test } from "vitest";
import { describeSkills, type ListedSkill, skillsBudget } from "./describe-skills.ts";

const skill = (name: string, description: string): ListedSkill => ({
  name,
  description,
  path: `/${name}/SKILL.md`,
});

const linesOf = (text: string | null) => (text ?? "").split("\n").filter((line) => line.startsWith("- "));

test("the list may take two hundredths of the context, or what is configured within bounds", () => {
  expect([skillsBudget(272_000, null), skillsBudget(10, null)]).toEqual([5440, 1]);
  expect([skillsBudget(272_000, 500), skillsBudget(272_000, 50_000)]).toEqual([500, 10_000]);
});

test("skills are told whole where there is room", () => {
  const { text, warning } = describeSkills([skill("a", "does a"), skill("b", "")], 100);
  expect(linesOf(text)).toEqual(["- a: does a (file: /a/SKILL.md)", "- b: (file: /b/SKILL.md)"]);
  expect(warning).toBeNull();
  expect(describeSkills([], 100)).toEqual({ text: null, warning: null });
});

test("long descriptions are cut to one length, and the user hears of it where it shows", () => {
  const skills = [skill("a", "x".repeat(400)), skill("b", "y".repeat(400)), skill("c", "short")];
  const { text, warning } = describeSkills(skills, 60);
  const [a, b, c] = linesOf(text);
  expect(a?.replaceAll("x", "").length).toBe(b?.replaceAll("y", "").length);
  expect(a?.length).toBe(b?.length);
  expect(c).toBe("- c: short (file: /c/SKILL.md)");
  expect(warning).toContain("shortened for the model, because their list may take 60 tokens");
  expect(describeSkills([skill("a", "x".repeat(40))], 14).warning).toBeNull();
});

test("where even the names are too many, the last are left out and the user is told how many", () => {
  const skills = Array.from({ length: 10 }, (_, index) => skill(`s${index}`, "d"));
  const { text, warning } = describeSkills(skills, 14);
  expect(linesOf(text)).toEqual([
    "- s0: (file: /s0/SKILL.md)",
    "- s1: (file: /s1/SKILL.md)",
    "- and 8 more, for which there is no room here",
  ]);
  expect(warning).toContain("receives 2 of your 10 skills");
});

test("whatever the skills are, their lines keep the budget and no character is cut in two", () => {
  const skills = fc.array(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 20 }),
      description: fc.string({ unit: "grapheme", maxLength: 300 }),
      path: fc.constant("/x/SKILL.md"),
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(skills, fc.integer({ min: 1, max: 2000 }), (given, maxTokens) => {
      const { text } = describeSkills(given, maxTokens);
      const body = (text ?? "").split("\n").slice(3, -1).join("\n");
      const told = body.replace(/(^|\n)- and \d+ more, for which there is no room here$/, "");
      expect(Buffer.byteLength(told) / 4).toBeLessThanOrEqual(maxTokens);
      expect(body).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    }),
  );
});
