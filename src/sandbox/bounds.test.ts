import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SandboxPolicy } from "../protocol/generated/types.ts";
import { PROTECTED_NAMES, readBounds } from "./bounds.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-bounds-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const at = (path: string) => join(base, path);
for (const folder of ["project", "extra", "scratch", "main/.git/worktrees/one", "tree"]) {
  mkdirSync(at(folder), { recursive: true });
}
writeFileSync(at("file"), "");
writeFileSync(at("main/.git/worktrees/one/commondir"), "../..\n");
writeFileSync(at("tree/.git"), `gitdir: ${at("main/.git/worktrees/one")}\n`);
symlinkSync(at("extra"), at("link"));
symlinkSync(at("extra"), at("project/link"));

const protectedIn = (root: string) => PROTECTED_NAMES.map((name) => join(root, name));
const read = (policy: SandboxPolicy, policyCwd = at("project"), extraWritableRoots: readonly string[] = []) =>
  readBounds(
    policy,
    { argv: [], cwd: "/", env: { TMPDIR: at("scratch") } },
    { policyCwd, extraWritableRoots },
  );
const workspace = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;

describe("the bounds of a policy", () => {
  test.each<[string, SandboxPolicy, unknown]>([
    ["full access has none", { type: "dangerFullAccess" }, { kind: "unbounded", network: true }],
    ["an outer sandbox has its own", { type: "externalSandbox" }, { kind: "unbounded", network: false }],
    [
      "an outer sandbox may have a network",
      { type: "externalSandbox", networkAccess: "enabled" },
      { kind: "unbounded", network: true },
    ],
    [
      "reading only",
      { type: "readOnly" },
      { kind: "bounded", bounds: { network: false, roots: [], protectedPaths: [] } },
    ],
    [
      "reading with a network",
      { type: "readOnly", networkAccess: true },
      { kind: "bounded", bounds: { network: true, roots: [], protectedPaths: [] } },
    ],
    [
      "the workspace alone",
      workspace,
      {
        kind: "bounded",
        bounds: { network: false, roots: [at("project")], protectedPaths: protectedIn(at("project")) },
      },
    ],
    [
      "the workspace with both temporary folders",
      { type: "workspaceWrite", networkAccess: true },
      {
        kind: "bounded",
        bounds: {
          network: true,
          roots: [at("project"), realpathSync("/tmp"), at("scratch")],
          protectedPaths: [at("project")].flatMap(protectedIn),
        },
      },
    ],
  ])("%s", (_, policy, expected) => {
    expect(read(policy)).toEqual(expected);
  });

  test("roots are resolved and deduplicated, and missing ones are dropped", () => {
    const writableRoots = [at("link"), at("extra"), at("absent"), "relative", at("file")];
    expect(read({ ...workspace, writableRoots })).toEqual({
      kind: "bounded",
      bounds: {
        network: false,
        roots: [at("project"), at("extra"), at("file")],
        protectedPaths: [at("project"), at("extra")].flatMap(protectedIn),
      },
    });
  });

  test("extra roots apply to a read-only policy", () => {
    expect(read({ type: "readOnly" }, at("project"), [at("extra")])).toEqual({
      kind: "bounded",
      bounds: { network: false, roots: [at("extra")], protectedPaths: protectedIn(at("extra")) },
    });
  });

  test("a root whose path contains a symlink in another root is refused", () => {
    expect(read({ ...workspace, writableRoots: [at("project/link")] })).toEqual({
      kind: "refused",
      reason: `${at("project/link")} passes through ${at("project/link")}, a symlink that commands may change`,
    });
  });

  test("the repository of a worktree is protected if it lies in a root", () => {
    expect(read({ ...workspace, writableRoots: [at("main")] }, at("tree"))).toEqual({
      kind: "bounded",
      bounds: {
        network: false,
        roots: [at("tree"), at("main")],
        protectedPaths: [
          ...protectedIn(at("tree")),
          at("main/.git/worktrees/one"),
          ...protectedIn(at("main")),
        ].sort(keepOrder),
      },
    });
  });

  test("a protected folder that is itself a root is writable", () => {
    mkdirSync(at("extra/.git"), { recursive: true });
    const outcome = read({ ...workspace, writableRoots: [at("extra/.git")] }, at("extra"));
    expect(outcome).toMatchObject({
      kind: "bounded",
      bounds: {
        roots: [at("extra"), at("extra/.git")],
        protectedPaths: expect.not.arrayContaining([at("extra/.git")]),
      },
    });
  });
});

/** The order in which the paths are found: the shared git folder directly after the worktree's own. */
function keepOrder(one: string, other: string): number {
  const rank = (path: string) =>
    path.startsWith(at("tree")) ? 0 : path.endsWith("/one") ? 1 : path === at("main/.git") ? 2 : 3;
  return rank(one) - rank(other);
}
