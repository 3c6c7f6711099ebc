import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { readTextFile } from "./read-text.ts";
import { createSkillFiles } from "./skill-files.fixture.ts";

const LIMIT = 1_000_000;

test.each([0, 1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 300_000])(
  "a file of %i bytes is read whole",
  async (size) => {
    const text = "é".repeat(size / 2).padEnd(size % 2 === 0 ? 0 : Math.ceil(size / 2), "x");
    const path = createSkillFiles().write("a", text);
    expect(await readTextFile(path, LIMIT)).toEqual({ ok: true, text });
  },
);

test("at most the limit is read, without a partial character", async () => {
  const path = createSkillFiles().write("a", `${"x".repeat(20_000)}€uro`);
  expect(await readTextFile(path, 20_001)).toEqual({ ok: true, text: "x".repeat(20_000) });
  expect(await readTextFile(path, 20_003)).toEqual({ ok: true, text: `${"x".repeat(20_000)}€` });
  expect(await readTextFile(path, 10)).toEqual({ ok: true, text: "x".repeat(10) });
});

test.each([
  [[0xff], "invalid utf-8 sequence of 1 bytes from index 3"],
  [[0xff, 0x41], "invalid utf-8 sequence of 1 bytes from index 3"],
  [[0x80], "invalid utf-8 sequence of 1 bytes from index 3"],
  [[0xc0, 0x80], "invalid utf-8 sequence of 1 bytes from index 3"],
  [[0xe2, 0x82, 0x41], "invalid utf-8 sequence of 2 bytes from index 3"],
  [[0xf0, 0x9f, 0x98, 0x41], "invalid utf-8 sequence of 3 bytes from index 3"],
  [[0xef, 0xbf, 0xbd, 0xff], "invalid utf-8 sequence of 1 bytes from index 6"],
  [[0xe2], "incomplete utf-8 byte sequence from index 3"],
  [[0xef, 0xbf], "incomplete utf-8 byte sequence from index 3"],
  [[0xf0, 0x9f, 0x98], "incomplete utf-8 byte sequence from index 3"],
])("bytes %j are not text", async (bytes, message) => {
  const path = createSkillFiles().write("a", Uint8Array.from([0x61, 0xc3, 0xa9, ...bytes]));
  expect(await readTextFile(path, LIMIT)).toEqual({ ok: false, message });
});

test("an unreadable path returns the reason", async () => {
  const files = createSkillFiles();
  expect(await readTextFile(files.path("missing"), LIMIT)).toEqual({
    ok: false,
    message: "No such file or directory (os error 2)",
  });
  expect(await readTextFile(files.folder, LIMIT)).toEqual({
    ok: false,
    message: "Is a directory (os error 21)",
  });
});

test.skipIf(process.platform === "win32")("a FIFO does not block", async () => {
  const path = createSkillFiles().path("pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
  expect(await readTextFile(path, LIMIT)).toEqual({ ok: false, message: "it is not a regular file" });
});
