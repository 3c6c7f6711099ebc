import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { nodeFileSystem } from "./patch-file-system.ts";
import { runPatchProgram } from "./patch-program.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-patch-program-"));
  const created = folder;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  writeFileSync(join(folder, "crlf.txt"), "before\r\nlast\r\n");
});

const patchOf = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const UPDATE = patchOf("*** Update File: crlf.txt", "@@", "-before", "+after");

const run = (args: readonly string[], input: string | Buffer = "") =>
  runPatchProgram({
    args,
    cwd: folder,
    readInput: () => Promise.resolve(Buffer.from(input)),
    fs: nodeFileSystem,
    id: "id",
  });

const failed = (message: string, exitCode = 1) => ({ exitCode, stdout: "", stderr: `${message}\n` });

test.each([
  ["its argument", [UPDATE], ""],
  ["its input", [], `${UPDATE}\n`],
])("applies the patch that is %s, and preserves line endings", async (_name, args, input) => {
  expect(await run(args, input)).toEqual({
    exitCode: 0,
    stdout: "Success. Updated the following files:\nM crlf.txt\n",
    stderr: "",
  });
  expect(readFileSync(join(folder, "crlf.txt"), "utf8")).toBe("after\r\nlast\r\n");
  expect(readdirSync(folder)).toEqual(["crlf.txt"]);
});

test("prints its usage, and rejects invalid arguments", async () => {
  expect(await run([])).toEqual(failed("Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch", 2));
  expect(await run([UPDATE, "more"])).toEqual(failed("Error: apply_patch accepts exactly one argument.", 2));
  expect(await run(["\ufffd"])).toEqual(failed("Error: apply_patch requires a UTF-8 PATCH argument."));
  expect(await run([], Buffer.from([0xff]))).toEqual(
    failed("Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8"),
  );
});

test("reports the faults of a patch", async () => {
  expect(await run(["--help"])).toEqual(
    failed("Invalid patch: The first line of the patch must be '*** Begin Patch'"),
  );
  expect(await run([patchOf("nonsense")])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^Invalid patch hunk on line 2: 'nonsense' is not a valid hunk header\./),
  });
  expect(await run([patchOf()])).toEqual(failed("No files were modified."));
});

test("does all of a patch or nothing", async () => {
  const patch = patchOf("*** Add File: new.txt", "+new", "*** Delete File: gone.txt");
  expect(await run([patch])).toEqual(failed(`Failed to delete file ${join(folder, "gone.txt")}`));
  expect(readdirSync(folder)).toEqual(["crlf.txt"]);
});
