import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Where a word of the Avoid column may be part of a name, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  matter: { "src/skills": "front matter is the name of the header of a Markdown file" },
};

const AVOIDED = [...readFileSync("GLOSSARY.md", "utf8").matchAll(/^\| \*\*.*\| ([^|]*) \|$/gm)]
  .flatMap(([, avoid = ""]) => avoid.split(","))
  .map((word) => word.trim())
  .filter((word) => word !== "");

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => join("src", file))
  .filter(
    (file) =>
      file.endsWith(".ts") && !/\.(?:test|fixture|contract)\.ts$|\/(?:fixtures|generated)\//.test(file),
  );

/** The words of all names in a text: `tellLate` has "tell" and "late". Comments and literals do not count. */
function wordsOf(text: string): Set<string> {
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "");
  const names = code.match(/[A-Za-z_$][\w$]*/g) ?? [];
  return new Set(
    names.flatMap((name) =>
      (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((part) => part.toLowerCase()),
    ),
  );
}

test("names avoid the words that GLOSSARY.md avoids", () => {
  expect(AVOIDED.length).toBeGreaterThan(5);
  const offenders = files.flatMap((file) => {
    const words = wordsOf(readFileSync(file, "utf8"));
    return AVOIDED.filter(
      (word) =>
        words.has(word) && !Object.keys(EXCEPTIONS[word] ?? {}).some((prefix) => file.startsWith(prefix)),
    ).map((word) => `${file}: ${word}`);
  });
  expect(offenders).toEqual([]);
});

test("lists each word once, in order", () => {
  const words = [...readFileSync("GLOSSARY.md", "utf8").matchAll(/^\| \*\*([^*]+)\*\*/gm)].map(
    ([, word = ""]) => word,
  );
  expect(words).toEqual([...new Set(words)].sort());
});
