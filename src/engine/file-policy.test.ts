import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { refuseFileChange } from "./file-policy.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-policy-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const cwd = join(base, "project");
mkdirSync(cwd);
mkdirSync(join(base, "extra"));
symlinkSync(join(base, "extra"), join(base, "link"));

const write = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;
const allowed = (path: string, sandbox: Parameters<typeof refuseFileChange>[1]["sandbox"] = write) =>
  refuseFileChange([path], { sandbox, approvalPolicy: "never", cwd, env: { TMPDIR: base } }) === null;

test.each([
  ["in the project", join(cwd, "a/b.txt"), true],
  ["beside it", `${cwd}-other/a.txt`, false],
  ["above it", join(base, "a.txt"), false],
  ["in what steers git", join(cwd, ".git/hooks/pre-commit"), false],
  ["in what steers agents", join(cwd, ".codex/config.toml"), false],
  ["in a file that only begins like that", join(cwd, ".gitignore"), true],
])("%s", (_, path, expected) => {
  expect(allowed(path)).toBe(expected);
});

test("further roots count where they really are", () => {
  const sandbox = { ...write, writableRoots: [join(base, "link"), join(base, "absent")] };
  expect(allowed(join(base, "extra/a"), sandbox)).toBe(true);
  expect(allowed(join(base, "absent/a"), sandbox)).toBe(false);
});

test("temporary folders are roots unless they are excluded", () => {
  expect(allowed(join(base, "x"), { ...write, excludeTmpdirEnvVar: false })).toBe(true);
  expect(allowed("/tmp/x", { ...write, excludeSlashTmp: false })).toBe(true);
});

test("modes and policies decide first", () => {
  expect(allowed("/etc/passwd", { type: "dangerFullAccess" })).toBe(true);
  expect(allowed("/etc/passwd", { type: "externalSandbox" })).toBe(true);
  expect(allowed(join(cwd, "a"), { type: "readOnly" })).toBe(false);
  const asked = { sandbox: { type: "dangerFullAccess" }, approvalPolicy: "untrusted", cwd, env: {} } as const;
  expect(refuseFileChange([join(cwd, "a")], asked)).toContain("needs an approval");
});

test("one path that may not be written is enough", () => {
  const policy = { sandbox: write, approvalPolicy: "never", cwd, env: {} } as const;
  expect(refuseFileChange([join(cwd, "a"), "/etc/x"], policy)).toContain("outside of the project");
});
