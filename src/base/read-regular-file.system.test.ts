import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  MAX_UNSIZED_BYTES,
  type ReadFileOptions,
  type ReadFileOutcome,
  readRegularFile,
  readRegularFileSync,
} from "./read-regular-file.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-read-"));
const at = (name: string): string => join(folder, name);
const socket = createServer();

beforeAll(async () => {
  execFileSync("mkfifo", [at("pipe")]);
  writeFileSync(at("file"), "0123456789");
  writeFileSync(at("empty"), "");
  symlinkSync(at("file"), at("link"));
  symlinkSync(at("pipe"), at("link-to-pipe"));
  await new Promise<void>((resolve) => void socket.listen(at("socket"), resolve));
});

afterAll(() => {
  socket.close();
  rmSync(folder, { recursive: true });
});

type Read = (path: string, options: ReadFileOptions) => ReadFileOutcome | Promise<ReadFileOutcome>;
const both: [string, Read][] = [
  ["in the pool", readRegularFile],
  ["on the main thread", readRegularFileSync],
];

describe.each(both)("reading %s", (_name, read) => {
  const textOf = async (path: string, options: ReadFileOptions): Promise<string> => {
    const outcome = await read(path, options);
    return outcome.kind === "read" ? outcome.bytes.toString() : outcome.reason;
  };

  test.each([
    ["file", 10, "0123456789"],
    ["file", 9, "tooLarge"],
    ["link", 100, "0123456789"],
    ["empty", 0, ""],
    ["none", 10, "missing"],
    ["file/below", 10, "missing"],
    ["", 10, "notRegular"],
    ["pipe", 10, "notRegular"],
    ["link-to-pipe", 10, "notRegular"],
    ["socket", 10, "notRegular"],
  ])("%s within %i bytes: %s", async (name, maxBytes, expected) => {
    expect(await textOf(at(name), { maxBytes })).toBe(expected);
  });

  test("a long file is truncated on request", async () => {
    expect(await read(at("file"), { maxBytes: 4, larger: "cut" })).toMatchObject({
      kind: "read",
      bytes: Buffer.from("0123"),
      isTruncated: true,
    });
    expect(await read(at("file"), { maxBytes: 10, larger: "cut" })).toMatchObject({ isTruncated: false });
  });

  test("a device is refused", async () => {
    expect(await textOf("/dev/zero", { maxBytes: 10 })).toBe("notRegular");
  });

  test.runIf(existsSync("/proc/self/status"))(
    "files of the system, however long they turn out to be",
    async () => {
      expect(await textOf("/proc/self/status", { maxBytes: 100_000 })).toContain("VmRSS:");
      expect(await textOf("/proc/self/pagemap", { maxBytes: 1_000_000 })).toBe("tooLarge");
      expect(await textOf("/proc/self/pagemap", { maxBytes: 0 })).toBe("tooLarge");
      const most = await read("/proc/self/pagemap", { maxBytes: 2 ** 30, larger: "cut" });
      expect(most.kind === "read" && most.bytes.length).toBe(MAX_UNSIZED_BYTES);
    },
  );
});

test("a hundred FIFOs and kernel logs do not block other reads", async () => {
  const paths = Array.from({ length: 100 }, (_none, index) => (index % 2 === 0 ? at("pipe") : "/proc/kmsg"));
  const reads = await Promise.all(paths.map((path) => readRegularFile(path, { maxBytes: 1_000_000 })));
  expect(reads.filter(({ kind }, index) => index % 2 === 0 && kind === "read")).toEqual([]);
  expect(reads.flatMap((read) => (read.kind === "refused" ? [read.reason] : []))).not.toContain("timeout");
});
