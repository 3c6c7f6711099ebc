import fc from "fast-check";
import { expect, test } from "vitest";
import { namesOfTool, nameTools } from "./tool-names.ts";

const namesOf = (tools: readonly [string, string][]) =>
  nameTools(tools.map(([server, tool]) => ({ server, tool }))).map(({ callable }) => [
    callable.namespace,
    callable.name,
  ]);

test("names are made of the server's and the tool's, with underscores for what models may not write", () => {
  expect(
    namesOf([
      ["my-srv", "b.c"],
      ["my-srv", "a"],
      ["mcp__x", "y"],
    ]),
  ).toEqual([
    ["mcp__x", "y"],
    ["mcp__my_srv", "a"],
    ["mcp__my_srv", "b_c"],
  ]);
});

test("names that would be the same get a hash of what they stand for", () => {
  const names = namesOf([
    ["s", "a.b"],
    ["s", "a-b"],
    ["t-", "x"],
    ["t_", "x"],
  ]);
  expect(names.map(([, name]) => name)).toEqual([
    expect.stringMatching(/^a_b_[0-9a-f]{12}$/),
    expect.stringMatching(/^a_b_[0-9a-f]{12}$/),
    "x",
    "x",
  ]);
  expect(new Set(names.map(String)).size).toBe(4);
});

test("any names are unique, short enough, and stable under order", () => {
  const identity = fc.tuple(fc.string({ maxLength: 140 }), fc.string({ maxLength: 140 }));
  fc.assert(
    fc.property(fc.uniqueArray(identity, { selector: String, maxLength: 8 }), (tools) => {
      const names = namesOf(tools);
      expect(new Set(names.map(([namespace, name]) => `${namespace}__${name}`)).size).toBe(names.length);
      for (const [namespace = "", name = ""] of names) {
        expect(namespace.length + name.length).toBeLessThanOrEqual(126);
        expect(namespace + name).toMatch(/^[A-Za-z0-9_]+$/);
      }
      expect(namesOf([...tools].reverse())).toEqual(names);
    }),
    { numRuns: 100 },
  );
});

test("no tool of another server takes a tool's name", () => {
  expect(
    namesOf([
      ["git", "hubdelete_repo"],
      ["github", "delete_repo"],
    ]),
  ).toEqual([
    ["mcp__git", "hubdelete_repo"],
    ["mcp__github", "delete_repo"],
  ]);
  const joined = namesOf([
    ["x", "y__z"],
    ["x__y", "z"],
  ]).map(([namespace, name]) => `${namespace}__${name}`);
  expect(new Set(joined).size).toBe(2);
});

test.each([
  [{ server: "my-files", tool: "delete-all" }, ["mcp__my-files__delete-all", "mcp__my_files__delete_all"]],
  [{ server: "a b", tool: "c.d" }, ["mcp__a_b__c_d", "mcp__a b__c.d"]],
  [{ server: "s", tool: "t" }, ["mcp__s__t"]],
])("%j is known by its own names, whatever it is called as", (identity, names) => {
  expect(namesOfTool(identity)).toEqual(names);
});
