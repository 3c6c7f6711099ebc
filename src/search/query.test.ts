import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toHaystack } from "./haystack.ts";
import { matchQuery, parseQuery } from "./query.ts";

const match = (query: string, path: string) => matchQuery(parseQuery(query), toHaystack(path));

/** Scores of the peer for the same paths. */
describe("a word is aligned for the best score", () => {
  test.each([
    ["abe", "abexy", 84, [0, 1, 2]],
    ["abe", "sub/abce", 72, [4, 5, 7]],
    ["abe", "abcde", 71, [0, 1, 4]],
    ["abe", "src/AbeTest.ts", 84, [4, 5, 6]],
    ["abe", ".abe", 80, [1, 2, 3]],
    ["abe", "src/lib/my-abe.ts", 80, [11, 12, 13]],
    ["abe", "a b e", 76, [0, 2, 4]],
    ["abex", ".hid/abe.txt", 96, [5, 6, 7, 10]],
    ["a", "src/AbeTest.ts", 34, [4]],
    ["ABE", "ignored-abe", 80, [8, 9, 10]],
  ])("%s in %s", (query, path, score, indices) => {
    expect(match(query, path)).toEqual({ score, indices });
  });

  test("and a path without it does not match", () => {
    expect([match("abe", "abc"), match("abe", "eba"), match("abcd", "abc")]).toEqual([null, null, null]);
  });
});

describe("a query", () => {
  test.each([
    ["src test", "src/AbeTest.ts", 173, [0, 1, 2, 7, 8, 9, 10]],
    ["ts$", "src/AbeTest.ts", 56, [12, 13]],
    ["^src", "src/lib", 84, [0, 1, 2]],
    ["'abe", "src/lib/my-abe.ts", 80, [11, 12, 13]],
    ["abe !lib", "abexy", 84, [0, 1, 2]],
    ["\\!a", "x!a", 56, [1, 2]],
  ])("%s matches %s", (query, path, score, indices) => {
    expect(match(query, path)).toMatchObject({ score, indices });
  });

  test.each([
    ["src test", "src/lib"],
    ["ts$", "src/tsx"],
    ["^src", "lib/src"],
    ["'abe", "abce"],
    ["abe !lib", "lib/abe"],
    ["^src$", "src/a"],
  ])("%s does not match %s", (query, path) => {
    expect(match(query, path)).toBe(null);
  });

  test("of blanks is empty and matches every path", () => {
    expect(match("  ", "a")).toEqual({ score: 0, indices: [] });
  });

  test("without accents matches a path with them, but not vice versa", () => {
    expect(match("resume", "Résumé.txt")?.indices).toEqual([0, 1, 2, 3, 4, 5]);
    expect(match("résumé", "Résumé.txt")?.indices).toEqual([0, 1, 2, 3, 4, 5]);
    expect(match("résumé", "resume.txt")).toBe(null);
  });
});

test("the matched indexes are the characters of the word, in order", () => {
  const letters = fc.stringMatching(/^[abcAB/._ -]{1,40}$/);
  fc.assert(
    fc.property(letters, fc.stringMatching(/^[abc]{1,6}$/), (path, word) => {
      const found = match(word, path);
      const isSubsequence = new RegExp(word.split("").join(".*"), "i").test(path);
      expect(found !== null).toBe(isSubsequence);
      if (found === null) return;
      expect(found.indices.map((index) => path.charAt(index).toLowerCase()).join("")).toBe(word);
      expect(found.indices).toEqual([...found.indices].sort((one, other) => one - other));
    }),
  );
});
