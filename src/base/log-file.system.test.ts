import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type LogFileOptions, openLogFile } from "./log-file.ts";
import { mountSmallDisk, NO_SMALL_DISK } from "./small-disk.fixture.ts";

function openIn(folder: string, options: Partial<LogFileOptions> = {}) {
  const reports: string[] = [];
  const path = join(folder, "heddle.log");
  const file = openLogFile(path, {
    onFault: (reason) => reports.push(reason),
    onRecovery: (lines) => reports.push(`lost ${lines}`),
    ...options,
  });
  onTestFinished(() => file.close());
  return { path, file, reports, read: (end = "") => readFileSync(path + end, "utf8") };
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("a log file", () => {
  test("appends to existing content and restricts permissions to the owner", async () => {
    const folder = createFolder();
    writeFileSync(join(folder, "heddle.log"), "before\n", { mode: 0o644 });
    const { file, path, read } = openIn(folder);
    file.write("one\n");
    file.write("two\n");
    await file.flushed();
    expect(read()).toBe("before\none\ntwo\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("is rotated when it is full, and the oldest file is deleted", async () => {
    const folder = createFolder();
    const { file, read } = openIn(folder, { maxBytes: 10, maxFiles: 3 });
    for (let number = 1; number <= 9; number += 1) {
      file.write(`line ${number} .\n`);
      await file.flushed();
    }
    expect(readdirSync(folder).sort()).toEqual(["heddle.log", "heddle.log.1", "heddle.log.2"]);
    expect([read(), read(".1"), read(".2")]).toEqual([
      "line 9 .\n",
      "line 7 .\nline 8 .\n",
      "line 5 .\nline 6 .\n",
    ]);
  });

  test("is not rotated again after another process has rotated it", async () => {
    const folder = createFolder();
    const { file, path, read } = openIn(folder, { maxBytes: 4 });
    file.write("old\n");
    await file.flushed();
    renameSync(path, `${path}.1`);
    writeFileSync(path, "new\n");
    file.write("mine\n");
    await file.flushed();
    expect([read(), read(".1")]).toEqual(["new\nmine\n", "old\n"]);
  });

  test.each<[string, (path: string) => void, RegExp]>([
    [
      "a link",
      (path) => symlinkSync("elsewhere", path),
      /heddle\.log: it is a symbolic link; name the file itself/u,
    ],
    ["a folder", (path) => mkdirSync(path), /heddle\.log: Is a directory/u],
  ])("that is %s is refused", (_, make, expected) => {
    const folder = createFolder();
    make(join(folder, "heddle.log"));
    expect(() => openIn(folder)).toThrow(expected);
  });

  test("a symlink that replaces the file is not followed", async () => {
    const folder = createFolder();
    const { file, path, reports } = openIn(folder, { maxBytes: 4 });
    file.write("old\n");
    await file.flushed();
    writeFileSync(join(folder, "target"), "");
    rmSync(path);
    symlinkSync("target", path);
    file.write("new\n");
    await file.flushed();
    expect(readFileSync(join(folder, "target"), "utf8")).toBe("");
    expect(reports).toEqual([expect.stringContaining("symbolic link")]);
  });

  test("flushes queued lines synchronously on exit", () => {
    const { file, read } = openIn(createFolder());
    file.write("one\n");
    file.write("last words\n");
    file.flushSync();
    expect(read()).toContain("last words\n");
  });

  test("drops lines that the disk does not accept in time, and reports how many", async () => {
    const { file, reports } = openIn(createFolder(), { maxBytes: Number.POSITIVE_INFINITY });
    for (let number = 0; number < 30; number += 1) file.write(`${"x".repeat(99_999)}\n`);
    await file.flushed();
    file.write("again\n");
    await file.flushed();
    expect(reports).toEqual([expect.stringMatching(/^lost \d+$/u)]);
  });

  test("a full disk loses lines and nothing else", async ({ skip }) => {
    const disk = mountSmallDisk(onTestFinished, 64);
    if (disk === null) return skip(NO_SMALL_DISK);
    const { file, reports, read } = openIn(disk.folder);
    // Room for a part of a line.
    disk.fillUpTo(4);
    const line = `${"x".repeat(9999)}\n`;
    for (const _ of [1, 2]) {
      file.write(line);
      await file.flushed();
    }
    expect(reports).toEqual(["No space left on device (os error 28)"]);
    disk.makeRoom();
    file.write("again\n");
    await file.flushed();
    expect(reports.slice(1)).toEqual(["lost 2"]);
    expect(read()).toMatch(/^x+\nagain\n$/u);
  });
});
