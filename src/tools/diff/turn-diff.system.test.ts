import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import type { FileEdit, FileSnapshot } from "./file-diff.ts";
import { createTurnDiff, findDiffRoot, type TurnDiff } from "./turn-diff.ts";

const file = (text: string | Buffer, executable = false): FileSnapshot => ({
  bytes: Buffer.from(text),
  kind: "file",
  executable,
});
const edit = (name: string, before?: FileSnapshot, after?: FileSnapshot, from?: string): FileEdit => ({
  path: `/repo/${name}`,
  before,
  after,
  ...(from === undefined ? {} : { derivedFrom: `/repo/${from}` }),
});

function diffOf(...patches: FileEdit[][]): string {
  const diff = createTurnDiff({ root: () => "/repo" });
  for (const edits of patches) diff.record(edits);
  return diff.render();
}

const NONE = "0".repeat(40);
const ONE = "5626abf0f72e58d7a153368ba57db4c673c0e171";
const TWO = "f719efd430d52bcfc8566a43b2eb655688d38871";

describe("the diff of a turn", () => {
  test("shows a new file", () => {
    expect(diffOf([edit("n/new.txt", undefined, file("one\n"))])).toBe(
      `diff --git a/n/new.txt b/n/new.txt\nnew file mode 100644\nindex ${NONE}..${ONE}\n--- /dev/null\n+++ b/n/new.txt\n@@ -0,0 +1 @@\n+one\n`,
    );
  });

  test("shows an empty file without names or hunks", () => {
    expect(diffOf([edit("e", undefined, file(""))])).toBe(
      `diff --git a/e b/e\nnew file mode 100644\nindex ${NONE}..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n`,
    );
  });

  test("shows a file that is gone, with its mode", () => {
    expect(diffOf([edit("x", file("one\n", true))])).toBe(
      `diff --git a/x b/x\ndeleted file mode 100755\nindex ${ONE}..${NONE}\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n`,
    );
  });

  test("is one from the first state to the last", () => {
    const start = file("one\n");
    const middle = file("half\n");
    expect(diffOf([edit("x", start, middle)], [edit("x", middle, file("two\n"))])).toBe(
      `diff --git a/x b/x\nindex ${ONE}..${TWO}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n`,
    );
  });

  test("is empty when all is as it was", () => {
    const made = file("one\n");
    expect(diffOf([edit("x", undefined, made)], [edit("x", made)])).toBe("");
    expect(diffOf([edit("x", made)], [edit("x", undefined, file("one\n"))])).toBe("");
  });

  test("shows a move with a change as one file with two names", () => {
    const start = file("one\n");
    expect(diffOf([edit("a", start), edit("b", undefined, file("two\n"), "a")])).toBe(
      `diff --git a/a b/b\nindex ${ONE}..${TWO}\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-one\n+two\n`,
    );
  });

  test("follows a file through several moves", () => {
    const start = file("one\n");
    const end = file("two\n");
    const first = [edit("a", start), edit("b", undefined, start, "a")];
    const second = [edit("b", start), edit("c", undefined, end, "b")];
    expect(diffOf(first, second)).toContain("diff --git a/a b/c\n");
    const back = [edit("b", start), edit("a", undefined, start, "b")];
    expect(diffOf(first, back)).toBe("");
  });

  test("still knows where a file came from after an update, but not after it was written anew", () => {
    const start = file("one\n");
    const end = file("two\n");
    const move = [edit("a", start), edit("b", undefined, start, "a")];
    expect(diffOf(move, [edit("b", start, end, "b")])).toContain("diff --git a/a b/b\n");
    expect(diffOf(move, [edit("b", start, end)]).match(/^diff .*$/gm)).toEqual([
      "diff --git a/a b/a",
      "diff --git a/b b/b",
    ]);
  });

  test("shows a move without a change as a rename", () => {
    const start = file("one\n");
    expect(diffOf([edit("a", start), edit("b", undefined, start, "a")])).toBe(
      "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n",
    );
  });

  test("shows a move over another file as two changes", () => {
    const diff = diffOf([edit("a", file("one\n")), edit("b", file("old\n"), file("two\n"), "a")]);
    expect(diff.match(/^diff .*$/gm)).toEqual(["diff --git a/a b/a", "diff --git a/b b/b"]);
  });

  test("sorts by name, shows files outside of the root by their whole path, and quotes odd names", () => {
    const made = file("");
    const diff = diffOf([
      edit("é", undefined, made),
      edit("b\tc", undefined, made),
      { path: "/etc/x", before: undefined, after: made },
      edit("a b", undefined, made),
    ]);
    expect(diff.match(/^diff .*$/gm)).toEqual([
      "diff --git a//etc/x b//etc/x",
      "diff --git a/a b b/a b",
      'diff --git "a/b\\011c" "b/b\\011c"',
      "diff --git a/é b/é",
    ]);
  });

  test("says of binary content only that it differs", () => {
    expect(diffOf([edit("x", file(Buffer.from([0xff])), file("one\n"))])).toBe(
      `diff --git a/x b/x\nindex ce542efaa5124a0437f0c4db329d7ec4b7ba70a7..${ONE}\nBinary files a/x and b/x differ\n`,
    );
  });

  test("gives up when there is too much to remember", () => {
    const diff: TurnDiff = createTurnDiff({ root: () => "/repo", maxBytes: 10 });
    diff.record([edit("x", file("one\n"), file("two\n"))]);
    expect(diff.render()).not.toBe("");
    diff.record([edit("y", undefined, file("three\n"))]);
    expect(diff.render()).toBe("");
    diff.record([edit("z", undefined, file(""))]);
    expect(diff.render()).toBe("");
  });
});

describe("git", () => {
  const name = fc.constantFrom("a", "b", "dir/c", "dir/d e", "é");
  const text = fc
    .tuple(fc.array(fc.constantFrom("x", "y", "z", "", "é", "\\", "w\r"), { maxLength: 12 }), fc.boolean())
    .map(([lines, ended]) => lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));
  const state = fc.tuple(text, fc.boolean()).map(([content, executable]) => file(content, executable));
  const step = fc.oneof(
    fc.record({ name, after: fc.option(state, { nil: undefined }) }),
    fc.record({ name, to: name, after: state }),
  );

  test("applies the diff of any turn to its start and gets its end", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, state),
        fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 4 }),
        async (start, patches) => {
          const now = new Map(Object.entries(start));
          const diff = createTurnDiff({ root: () => "/repo" });
          for (const patch of patches) for (const one of patch) diff.record(perform(now, one));
          expect(afterGitApply(start, diff.render())).toEqual(
            Object.fromEntries([...now].map(([path, held]) => [path, describeState(held)])),
          );
        },
      ),
      propertyRuns(20),
    );
  });
});

type Step = { name: string; after: FileSnapshot | undefined; to?: string };

function perform(now: Map<string, FileSnapshot>, { name, after, to }: Step): FileEdit[] {
  const before = now.get(name);
  if (to === undefined || to === name || before === undefined || after === undefined) {
    if (after === undefined) now.delete(name);
    else now.set(name, after);
    return [edit(name, before, after, before !== undefined && after !== undefined ? name : undefined)];
  }
  const overwritten = now.get(to);
  now.delete(name);
  // A move keeps the mode of its source.
  const moved = { ...after, executable: before.executable };
  now.set(to, moved);
  return [edit(name, before), edit(to, overwritten, moved, name)];
}

function describeState(state: FileSnapshot): string {
  return `${state.executable ? "755" : "644"} ${state.bytes.toString()}`;
}

/** Puts the files into the index of a new repository, applies the diff there, and lists what the index holds. */
function afterGitApply(start: Record<string, FileSnapshot>, diff: string): Record<string, string> {
  const root = mkdtempSync(join(tmpdir(), "heddle-git-"));
  const git = (args: string[], input = "") =>
    execFileSync("git", args, { cwd: root, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  try {
    git(["init", "--quiet"]);
    for (const [path, state] of Object.entries(start)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), state.bytes);
      chmodSync(join(root, path), state.executable ? 0o755 : 0o644);
    }
    git(["add", "--all"]);
    if (diff !== "") git(["apply", "--index", "--whitespace=nowarn", "-"], diff);
    const entries = git(["ls-files", "--stage", "-z"]).split("\0").filter(Boolean);
    return Object.fromEntries(
      entries.map((entry) => {
        const [meta = "", path = ""] = entry.split("\t");
        const [mode = "", id = ""] = meta.split(" ");
        return [path, `${mode.slice(3)} ${git(["cat-file", "blob", id])}`];
      }),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test("names are relative to the repository, else to the working folder, without links", async () => {
  const root = mkdtempSync(join(tmpdir(), "heddle-root-"));
  try {
    mkdirSync(join(root, "repo/.git"), { recursive: true });
    mkdirSync(join(root, "repo/deep/er"), { recursive: true });
    mkdirSync(join(root, "plain"));
    symlinkSync(join(root, "repo/deep"), join(root, "link"));
    const real = dirname(findDiffRoot(join(root, "plain")));
    expect(findDiffRoot(join(root, "repo/deep/er"))).toBe(join(real, "repo"));
    expect(findDiffRoot(join(root, "link"))).toBe(join(real, "repo"));
    expect(findDiffRoot(join(root, "plain"))).toBe(join(real, "plain"));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
