import { renameSync, symlinkSync, truncateSync, unlinkSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ToolResult } from "../tool.ts";
import { createApplyPatchTool } from "./apply-patch-tool.ts";
import { MAX_PATCHED_FILE_BYTES, nodeFileSystem, type PatchFileSystem } from "./patch-file-system.ts";
import { createPatchContext, createPatchFolder, type PatchFolder, patchOf } from "./patch-folder.fixture.ts";
import type { PatchPorts } from "./run-patch.ts";

const folders: PatchFolder[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function folderOf(files: Record<string, string | Buffer>): PatchFolder {
  const folder = createPatchFolder(files);
  folders.push(folder);
  return folder;
}

function portsOf(more: Partial<PatchPorts> = {}): PatchPorts {
  let time = 0;
  let ids = 0;
  return {
    fs: nodeFileSystem,
    clock: { monotonic: () => (time += 150) },
    id: () => `id-${(ids += 1)}`,
    ...more,
  };
}

async function run(folder: PatchFolder, input: string, ports = portsOf()): Promise<ToolResult> {
  const { context } = createPatchContext(folder.path);
  return createApplyPatchTool(ports).run({ callId: "call", name: "apply_patch", input }, context);
}

const UPDATE = patchOf("*** Update File: a.txt", "@@", "-two", "+2");

describe("a patch that fits", () => {
  test("is shown, approved, applied and reported, in this order", async () => {
    const folder = folderOf({ "a.txt": "one\ntwo\nthree\n", "d.txt": "bye\n", "m.txt": "mv\n" });
    const { context, trace, edited: applied } = createPatchContext(folder.path);
    const ports = portsOf({});
    const input = patchOf(
      "*** Add File: n/new.txt",
      "+hi",
      "*** Update File: a.txt",
      "@@",
      "-two",
      "+TWO",
      "*** Delete File: d.txt",
      "*** Update File: m.txt",
      "*** Move to: z/m2.txt",
      "@@",
      "-mv",
      "+mv2",
    );
    const result = await createApplyPatchTool(ports).run(
      { callId: "call", name: "apply_patch", input },
      context,
    );
    expect(result).toMatchObject({
      success: true,
      output:
        "Exit code: 0\nWall time: 0.2 seconds\nOutput:\nSuccess. Updated the following files:\nA n/new.txt\nM a.txt\nM z/m2.txt\nD d.txt\n",
    });
    const item = {
      type: "fileChange",
      id: "call",
      changes: [
        {
          path: folder.at("a.txt"),
          kind: { type: "update", move_path: null },
          diff: "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n",
        },
        { path: folder.at("d.txt"), kind: { type: "delete" }, diff: "bye\n" },
        {
          path: folder.at("m.txt"),
          kind: { type: "update", move_path: folder.at("z/m2.txt") },
          diff: `@@ -1 +1 @@\n-mv\n+mv2\n\n\nMoved to: ${folder.at("z/m2.txt")}`,
        },
        { path: folder.at("n/new.txt"), kind: { type: "add" }, diff: "hi\n" },
      ],
    };
    const paths = ["n/new.txt", "a.txt", "d.txt", "m.txt", "z/m2.txt"].map((name) => folder.at(name));
    expect(trace).toEqual([
      {
        ask: { kind: "fileChange", call: expect.anything(), item: { ...item, status: "inProgress" }, paths },
      },
      { complete: { ...item, status: "completed" } },
    ]);
    expect(folder.files()).toEqual({
      "a.txt": "one\nTWO\nthree\n",
      "n/new.txt": "hi\n",
      "z/m2.txt": "mv2\n",
    });
    expect(applied.flat().map((edit) => [edit.path, edit.derivedFrom])).toEqual([
      [folder.at("n/new.txt"), undefined],
      [folder.at("a.txt"), folder.at("a.txt")],
      [folder.at("d.txt"), undefined],
      [folder.at("m.txt"), undefined],
      [folder.at("z/m2.txt"), folder.at("m.txt")],
    ]);
  });

  test("that is declined changes nothing and returns the reason", async () => {
    const folder = folderOf({ "a.txt": "two\n" });
    const { context, trace } = createPatchContext(folder.path, () => ({
      kind: "declined",
      reason: "patch rejected by user",
      cause: "answer",
    }));
    const tool = createApplyPatchTool(portsOf());
    const result = await tool.run({ callId: "call", name: "apply_patch", input: UPDATE }, context);
    expect(result).toMatchObject({ success: false, output: "patch rejected by user" });
    expect(trace.at(-1)).toMatchObject({ complete: { id: "call", status: "declined" } });
    expect(folder.files()).toEqual({ "a.txt": "two\n" });
  });

  test.each(["cancelled", "interrupted"])(
    "that is %s changes nothing and is never completed",
    async (how) => {
      const folder = folderOf({ "a.txt": "two\n" });
      const { context, trace, abort } = createPatchContext(folder.path, () => {
        if (how === "cancelled") return { kind: "cancelled" };
        abort.abort();
        return { kind: "approved", sandboxed: true, retry: null };
      });
      const tool = createApplyPatchTool(portsOf());
      await tool.run({ callId: "call", name: "apply_patch", input: UPDATE }, context);
      expect(trace.map((event) => Object.keys(event)[0])).toEqual(["ask"]);
      expect(folder.files()).toEqual({ "a.txt": "two\n" });
    },
  );

  test("no longer when it is approved fails and changes nothing", async () => {
    const folder = folderOf({ "a.txt": "two\n" });
    const { context, trace } = createPatchContext(folder.path, () => {
      folder.put({ "a.txt": "other\n" });
      return { kind: "approved", sandboxed: true, retry: null };
    });
    const input = patchOf("*** Add File: b.txt", "+b", ...UPDATE.split("\n").slice(1, -1));
    const tool = createApplyPatchTool(portsOf());
    const result = await tool.run({ callId: "call", name: "apply_patch", input }, context);
    expect(result).toMatchObject({
      success: false,
      output: `Exit code: 1\nWall time: 0.2 seconds\nOutput:\nFailed to find expected lines in ${folder.at("a.txt")}:\ntwo\n`,
    });
    expect(trace.at(-1)).toMatchObject({ complete: { status: "failed" } });
    expect(folder.files()).toEqual({ "a.txt": "other\n" });
  });
});

describe("a patch that cannot be written", () => {
  test.each([["dir"], ["a.txt/b"], ["loop"], ["zero\0byte"]])(
    "because of %j fails and changes nothing",
    async (name) => {
      const folder = folderOf({ "a.txt": "two\n", "dir/x": "x" });
      symlinkSync("loop", folder.at("loop"));
      const before = folder.files();
      const { context, trace } = createPatchContext(folder.path);
      const input = patchOf("*** Add File: new/b.txt", "+b", `*** Add File: ${name}`, "+x");
      const tool = createApplyPatchTool(portsOf());
      const result = await tool.run({ callId: "call", name: "apply_patch", input }, context);
      expect(result).toMatchObject({
        success: false,
        output: `Exit code: 1\nWall time: 0.2 seconds\nOutput:\nFailed to write file ${folder.at(name)}\n`,
      });
      expect(trace.at(-1)).toMatchObject({ complete: { status: "failed" } });
      expect(folder.files()).toEqual(before);
    },
  );

  test("because its files are too large is refused", async () => {
    const folder = folderOf({ "a.txt": "two\n" });
    truncateSync(folder.at("a.txt"), MAX_PATCHED_FILE_BYTES + 1);
    expect(await run(folder, UPDATE)).toMatchObject({
      success: false,
      output: `apply_patch verification failed: Failed to read file to update ${folder.at("a.txt")}: file is too large to read: limit is ${MAX_PATCHED_FILE_BYTES} bytes`,
    });
  });
});

describe("links", () => {
  test("are shown for approval together with their targets", async () => {
    const outside = folderOf({ "secret.txt": "two\n" });
    const folder = folderOf({});
    symlinkSync(outside.at("secret.txt"), folder.at("a.txt"));
    const { context, trace } = createPatchContext(folder.path);
    const tool = createApplyPatchTool(portsOf());
    await tool.run({ callId: "call", name: "apply_patch", input: UPDATE }, context);
    expect(trace[0]).toMatchObject({
      ask: {
        kind: "fileChange",
        paths: [folder.at("a.txt"), outside.at("secret.txt")],
      },
    });
  });

  test("on the path to the folder itself are resolved", async () => {
    const folder = folderOf({ "real/a.txt": "two\n" });
    symlinkSync("real", folder.at("link"));
    const { context, trace } = createPatchContext(folder.at("link"));
    const tool = createApplyPatchTool(portsOf());
    await tool.run({ callId: "call", name: "apply_patch", input: UPDATE }, context);
    expect(trace[0]).toMatchObject({
      ask: {
        kind: "fileChange",
        call: expect.anything(),
        item: expect.anything(),
        paths: [folder.at("real/a.txt")],
      },
    });
  });

  test("that are put in the way of an approved patch stop it", async () => {
    const outside = folderOf({ "secret.txt": "two\n" });
    const folder = folderOf({ "a.txt": "two\n" });
    const { context } = createPatchContext(folder.path, () => {
      unlinkSync(folder.at("a.txt"));
      symlinkSync(outside.at("secret.txt"), folder.at("a.txt"));
      return { kind: "approved", sandboxed: true, retry: null };
    });
    const tool = createApplyPatchTool(portsOf());
    const result = await tool.run({ callId: "call", name: "apply_patch", input: UPDATE }, context);
    expect(result.output).toContain("it is not among the approved files");
    expect(outside.files()).toEqual({ "secret.txt": "two\n" });
  });

  test("that replace a folder at any time let no write escape it", async () => {
    const text = patchOf(
      "*** Update File: sub/a.txt",
      "@@",
      "-two",
      "+2",
      "*** Delete File: sub/b.txt",
      "*** Add File: sub/c.txt",
      "+three",
      "*** Add File: sub/new/d.txt",
      "+four",
    );
    const start = { "a.txt": "two\n", "b.txt": "two\n" };
    let isDone = false;
    for (let nth = 1; !isDone; nth += 1) {
      const outside = folderOf(start);
      const folder = folderOf({ "sub/a.txt": "two\n", "sub/b.txt": "two\n" });
      let left = Number.POSITIVE_INFINITY;
      const fs = beforeCalls(nodeFileSystem, () => {
        left -= 1;
        if (left !== 0) return;
        renameSync(folder.at("sub"), folder.at("moved"));
        symlinkSync(outside.path, folder.at("sub"));
      });
      const { context } = createPatchContext(folder.path, () => {
        left = nth;
        return { kind: "approved", sandboxed: true, retry: null };
      });
      const tool = createApplyPatchTool({ ...portsOf(), fs });
      await tool.run({ callId: "call", name: "apply_patch", input: text }, context);
      expect([nth, outside.files()]).toEqual([nth, start]);
      isDone = left > 0;
    }
  });
});

/** The same file system, with something done before each call. */
function beforeCalls(fs: PatchFileSystem, act: () => void): PatchFileSystem {
  const entries = Object.entries(fs).map(([name, run]: [string, unknown]) => [
    name,
    typeof run !== "function"
      ? run
      : (...args: unknown[]): unknown => {
          act();
          return (run as (...given: unknown[]) => unknown)(...args);
        },
  ]);
  return Object.fromEntries(entries) as PatchFileSystem;
}

describe("a patch is refused without an item", () => {
  const failed = (text: string) => `apply_patch verification failed: ${text}`;
  test.each<[string, string[], (folder: PatchFolder) => string]>([
    [
      "for a missing file",
      ["*** Update File: no", "@@", "-a"],
      (folder) =>
        failed(`Failed to read file to update ${folder.at("no")}: No such file or directory (os error 2)`),
    ],
    [
      "for a missing file to delete",
      ["*** Delete File: no"],
      (folder) => failed(`Failed to read ${folder.at("no")}: No such file or directory (os error 2)`),
    ],
    [
      "for a folder",
      ["*** Delete File: dir"],
      (folder) => failed(`Failed to read ${folder.at("dir")}: path \`${folder.at("dir")}\` is not a file`),
    ],
    [
      "for a file that is not text",
      ["*** Update File: bin", "@@", "-a"],
      (folder) =>
        failed(
          `Failed to read file to update ${folder.at("bin")}: invalid utf-8 sequence of 1 bytes from index 0`,
        ),
    ],
    [
      "for lines that are not there",
      ["*** Update File: a.txt", "@@", "-nope"],
      (folder) => failed(`Failed to find expected lines in ${folder.at("a.txt")}:\nnope`),
    ],
    [
      "for two operations on one file",
      ["*** Delete File: a.txt", "*** Delete File: ./a.txt"],
      (folder) => failed(`invalid patch: multiple operations target ${folder.at("a.txt")}`),
    ],
    [
      "for its form",
      ["nonsense"],
      () =>
        failed(
          "invalid hunk at line 2, 'nonsense' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', '*** Delete File: {path}', '*** Update File: {path}'",
        ),
    ],
    [
      "for an environment",
      ["*** Environment ID: e", "*** Delete File: a.txt"],
      () => "apply_patch environment selection is unavailable for this turn",
    ],
    ["for being empty", [], () => "patch rejected: empty patch"],
  ])("%s", async (_, lines, output) => {
    const folder = folderOf({ "a.txt": "two\n", "dir/x": "x", bin: Buffer.from([0xff, 0xfe]) });
    const { context, trace } = createPatchContext(folder.path);
    const tool = createApplyPatchTool(portsOf());
    const result = await tool.run({ callId: "call", name: "apply_patch", input: patchOf(...lines) }, context);
    expect(result).toMatchObject({ success: false, output: output(folder) });
    expect(trace).toEqual([]);
  });

  test("for a reason of the policy", async () => {
    const folder = folderOf({ "a.txt": "two\n" });
    const reason = "patch rejected: writing is blocked";
    const decide = () => ({ kind: "declined", reason, cause: "policy" }) as const;
    const { context, trace } = createPatchContext(folder.path, decide);
    const tool = createApplyPatchTool(portsOf());
    const result = await tool.run({ callId: "call", name: "apply_patch", input: UPDATE }, context);
    expect(result).toMatchObject({ success: false, output: reason });
    expect(trace.map((event) => Object.keys(event)[0])).toEqual(["ask"]);
  });
});
