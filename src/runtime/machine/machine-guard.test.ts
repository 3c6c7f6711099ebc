import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readBounds } from "../../sandbox/bounds.ts";
import { createMachineGuard } from "./machine-guard.ts";

function openHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "heddle-guard-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of ["rules", "worktrees/one", "extra"])
    mkdirSync(join(home, folder), { recursive: true });
  return home;
}

test("of a home, only folders that nobody uses can be written", () => {
  const home = openHome();
  const guard = createMachineGuard({ userHome: "/nowhere", env: { HEDDLE_HOME: home } }, home);
  const wanted = [home, join(home, "rules"), join(home, "worktrees/one"), join(home, "extra")];
  const outcome = readBounds(
    {
      type: "workspaceWrite",
      writableRoots: wanted,
      excludeSlashTmp: true,
      excludeTmpdirEnvVar: true,
    },
    { argv: [], cwd: "/", env: {} },
    { policyCwd: "/nowhere" },
    guard,
  );
  expect(outcome).toMatchObject({
    kind: "bounded",
    bounds: { roots: [join(home, "worktrees/one"), join(home, "extra")] },
  });
});

test("the folders of Claude Code are kept once their hooks are run", () => {
  const home = openHome();
  const guard = createMachineGuard({ userHome: join(home, "../.."), env: { HEDDLE_HOME: home } }, home);
  const workspace = join(home, "..");
  const kept = () => {
    const policy = { type: "workspaceWrite" as const, writableRoots: [join(home, "../..")] };
    const outcome = readBounds(policy, { argv: [], cwd: "/", env: {} }, { policyCwd: workspace }, guard);
    const paths = outcome.kind === "bounded" ? outcome.bounds.protectedPaths : [];
    return paths.filter((path) => path.endsWith("/.claude"));
  };
  expect(kept()).toEqual([]);
  guard.guardClaude();
  expect(kept().sort()).toEqual([join(home, "../../.claude"), join(workspace, ".claude")].sort());
});

test("what a server decides by is kept wherever a command may write around it", () => {
  const home = openHome();
  const guard = createMachineGuard({ userHome: join(home, ".."), env: { HEDDLE_HOME: home } }, home);
  const outcome = readBounds(
    { type: "workspaceWrite" },
    { argv: [], cwd: "/", env: {} },
    { policyCwd: join(home, "..") },
    guard,
  );
  const kept = outcome.kind === "bounded" ? outcome.bounds.protectedPaths : [];
  expect(kept).toEqual(expect.arrayContaining([home, join(home, "../.codex"), join(home, "../.agents")]));
});
