import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseMounts } from "../base/mounts.ts";
import { aliasesOf, createAliasFinder } from "./guard.ts";

const MOUNTS = [
  { device: "8:1", root: "/", mountPoint: "/" },
  { device: "8:2", root: "/", mountPoint: "/home" },
  { device: "8:2", root: "/me", mountPoint: "/mnt/me" },
  { device: "8:2", root: "/me/.codex/rules", mountPoint: "/srv/ws/rules" },
  { device: "8:2", root: "/you", mountPoint: "/mnt/you" },
];

test.each([
  ["/home/me/.codex", ["/mnt/me/.codex", "/srv/ws/rules"]],
  ["/mnt/me/.codex", ["/home/me/.codex", "/srv/ws/rules"]],
  ["/home/you/file", ["/mnt/you/file"]],
  ["/etc", []],
])("%s is also found at %j", (path, aliases) => {
  expect(aliasesOf(path, MOUNTS)).toEqual(aliases);
});

test("the mount table is parsed, including spaces in names", () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-mounts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "mountinfo");
  const line = "22 1 8:2 /a\\040b /mnt/c\\040d rw,relatime shared:1 - ext4 /dev/sda2 rw\n";
  expect(parseMounts(line)).toEqual([{ device: "8:2", root: "/a b", mountPoint: "/mnt/c d" }]);
  const find = createAliasFinder(file);
  expect(find(["/mnt/c d/x"])).toEqual([]);
  writeFileSync(file, `${line}23 1 8:2 / /home rw - ext4 /dev/sda2 rw\n`);
  expect(find(["/mnt/c d/x"])).toEqual(["/home/a b/x"]);
});
