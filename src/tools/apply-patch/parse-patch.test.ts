import { describe, expect, test } from "vitest";
import { parsePatch } from "./parse-patch.ts";
import { patchOf } from "./patch-folder.fixture.ts";

const ADD = { kind: "add", path: "a", text: "x\n" };

function hunksOf(text: string): unknown {
  const parsed = parsePatch(text);
  return parsed.kind === "patch" ? parsed.patch.hunks : parsed.message;
}

function chunksOf(...lines: string[]): unknown {
  const hunks = hunksOf(patchOf("*** Update File: f", ...lines));
  return Array.isArray(hunks) ? hunks[0].chunks : hunks;
}

describe("a patch", () => {
  test("is its hunks in order", () => {
    const text = patchOf(
      "*** Add File: dir/new.txt",
      "+one",
      "+",
      "+ two",
      "*** Delete File: old.txt",
      "*** Update File: a.txt",
      "*** Move to: b.txt",
      "@@ class A",
      " keep",
      "-gone",
      "+here",
      "@@",
      "+last",
      "*** End of File",
    );
    expect(parsePatch(text)).toEqual({
      kind: "patch",
      patch: {
        environmentId: undefined,
        hunks: [
          { kind: "add", path: "dir/new.txt", text: "one\n\n two\n" },
          { kind: "delete", path: "old.txt" },
          {
            kind: "update",
            path: "a.txt",
            moveTo: "b.txt",
            chunks: [
              {
                header: "class A",
                atEnd: false,
                lines: [
                  { kind: "context", text: "keep" },
                  { kind: "removed", text: "gone" },
                  { kind: "added", text: "here" },
                ],
              },
              { header: undefined, atEnd: true, lines: [{ kind: "added", text: "last" }] },
            ],
          },
        ],
      },
    });
  });

  test("may have no hunks, and files may have no lines", () => {
    expect(hunksOf(patchOf())).toEqual([]);
    expect(hunksOf(patchOf("*** Add File: a"))).toEqual([{ kind: "add", path: "a", text: "" }]);
  });

  test("names its environment before the first hunk", () => {
    expect(parsePatch(patchOf("*** Environment ID:  box ", "*** Add File: a", "+x"))).toEqual({
      kind: "patch",
      patch: { environmentId: "box", hunks: [ADD] },
    });
    expect(hunksOf(patchOf("*** Environment ID: a", "*** Environment ID: b"))).toBe(
      "invalid patch: apply_patch environment_id cannot be specified more than once",
    );
    expect(hunksOf(patchOf("*** Environment ID: "))).toBe(
      "invalid patch: apply_patch environment_id cannot be empty",
    );
  });

  test.each([
    ["around the whole", `\n  ${patchOf("*** Add File: a", "+x")} \n\n`],
    ["around markers", "*** Begin Patch \n  *** Add File: a  \n+x\n\t*** End Patch "],
    ["as carriage returns", patchOf("*** Add File: a", "+x").replaceAll("\n", "\r\n")],
    ["as a heredoc", `<<'EOF'\n${patchOf("*** Add File: a", "+x")}\nEOF\n`],
    ["as a heredoc without quotes", `<<EOF\n${patchOf("*** Add File: a", "+x")}\nEOF`],
    ["after the end", `${patchOf("*** Add File: a", "+x")}\n\n*** End Patch`],
  ])("may have white space %s", (_, text) => {
    expect(hunksOf(text)).toEqual([ADD]);
  });

  test.each([
    ["bad", "invalid patch: The first line of the patch must be '*** Begin Patch'"],
    ["", "invalid patch: The first line of the patch must be '*** Begin Patch'"],
    ["*** Begin Patch\nbad", "invalid patch: The last line of the patch must be '*** End Patch'"],
    [`<<'EOF'\n${patchOf()}`, "invalid patch: The first line of the patch must be '*** Begin Patch'"],
    [patchOf("*** End Patch", "x"), "invalid patch: The last line of the patch must be '*** End Patch'"],
    [
      patchOf("*** Frobnicate File: a"),
      "invalid hunk at line 2, '*** Frobnicate File: a' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'",
    ],
    [
      patchOf("*** Add File: a", "x"),
      "invalid hunk at line 3, 'x' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'",
    ],
    [patchOf("*** Update File: a"), "invalid hunk at line 2, Update file hunk for path 'a' is empty"],
    [
      patchOf("*** Update File: a", "*** Move to: b"),
      "invalid hunk at line 2, Update file hunk for path 'a' is empty",
    ],
  ])("that is %j is refused", (text, message) => {
    expect(hunksOf(text)).toBe(message);
  });
});

describe("an update", () => {
  test("needs no header before its first chunk, and takes an empty line for an empty context line", () => {
    const context = { kind: "context", text: "" };
    expect(chunksOf(" a", "", "+b")).toEqual([
      {
        header: undefined,
        atEnd: false,
        lines: [{ kind: "context", text: "a" }, context, { kind: "added", text: "b" }],
      },
    ]);
  });

  test("takes an indented marker for a context line", () => {
    expect(chunksOf("-a", " *** End Patch")).toEqual([
      {
        header: undefined,
        atEnd: false,
        lines: [
          { kind: "removed", text: "a" },
          { kind: "context", text: "*** End Patch" },
        ],
      },
    ]);
  });

  const unexpected = (line: string) =>
    `Unexpected line found in update hunk: '${line}'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)`;
  test.each([
    [["@@"], "invalid hunk at line 4, Update hunk does not contain any lines"],
    [["@@", "*** Delete File: x"], `invalid hunk at line 4, ${unexpected("*** Delete File: x")}`],
    [["@@", "@@ b", " c"], `invalid hunk at line 4, ${unexpected("@@ b")}`],
    [["@@", "*** End of File"], "invalid hunk at line 4, Update hunk does not contain any lines"],
    [["junk"], `invalid hunk at line 3, ${unexpected("junk")}`],
    [
      ["-a", "junk"],
      "invalid hunk at line 4, Expected update hunk to start with a @@ context marker, got: 'junk'",
    ],
    [
      ["-a", "*** End of File", "+b"],
      "invalid hunk at line 5, Expected update hunk to start with a @@ context marker, got: '+b'",
    ],
  ])("of %j is refused", (lines, message) => {
    expect(chunksOf(...lines)).toBe(message);
  });
});
