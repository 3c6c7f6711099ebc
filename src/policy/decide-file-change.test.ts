import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";
import { NO_GUARD } from "../sandbox/guard.ts";
import { fileGrant } from "./approval-policy.ts";
import {
  boundsOfPatches,
  decideFileChange,
  type FileChangeRequest,
  type PatchContext,
} from "./decide-file-change.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-policy-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const cwd = join(base, "project");
mkdirSync(join(base, "extra"));
mkdirSync(cwd);

const write = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;
const granular = (sandbox_approval: boolean): AskForApproval => ({
  granular: { sandbox_approval, rules: true, mcp_elicitations: true },
});
const inside = join(cwd, "a");
const outside = join(base, "b");

function decide(paths: readonly string[], changes: Partial<FileChangeRequest & PatchContext> = {}) {
  return decideFileChange({
    paths,
    policy: "on-request",
    bounds: boundsOfPatches({ sandbox: write, cwd, env: {}, guard: NO_GUARD, ...changes }),
    sessionGrants: new Set(),
    ...changes,
  });
}

const RUN = { kind: "run", basis: { kind: "policy" } };
const ASK = { kind: "ask", reason: null, cause: { kind: expect.any(String), why: expect.any(String) } };
const OUT = {
  kind: "forbid",
  reason: "patch rejected: writing outside of the project; rejected by user approval settings",
};
const READ_ONLY = {
  kind: "forbid",
  reason: "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
};

test.each<[AskForApproval, SandboxPolicy, object, object]>([
  ["untrusted", write, ASK, ASK],
  ["untrusted", { type: "dangerFullAccess" }, ASK, ASK],
  ["on-request", write, RUN, ASK],
  ["on-request", { type: "readOnly" }, ASK, ASK],
  ["on-request", { type: "dangerFullAccess" }, RUN, RUN],
  ["on-request", { type: "externalSandbox" }, RUN, RUN],
  ["never", write, RUN, OUT],
  ["never", { type: "readOnly" }, READ_ONLY, READ_ONLY],
  ["never", { type: "dangerFullAccess" }, RUN, RUN],
  [granular(true), write, RUN, ASK],
  [granular(false), write, RUN, OUT],
  [granular(false), { type: "readOnly" }, READ_ONLY, READ_ONLY],
])("under %j in %j, inside and outside of the project", (policy, sandbox, within, beyond) => {
  expect(decide([inside], { policy, sandbox })).toMatchObject(within);
  expect(decide([outside], { policy, sandbox })).toMatchObject(beyond);
});

test("one path out of bounds is enough to ask", () => {
  expect(decide([inside, outside])).toMatchObject(ASK);
});

test.each([".git/hooks/pre-commit", ".codex/config.toml", ".agents/a"])("%s is asked about", (path) => {
  expect(decide([join(cwd, path)])).toMatchObject(ASK);
});

test("extra roots and temporary folders are within bounds", () => {
  const sandbox = { ...write, writableRoots: [join(base, "extra")] };
  expect(decide([join(base, "extra/a")], { sandbox })).toEqual(RUN);
  expect(
    decide([outside], { sandbox: { ...write, excludeTmpdirEnvVar: false }, env: { TMPDIR: base } }),
  ).toEqual(RUN);
});

test("paths that were allowed for the session are not asked about again", () => {
  const sessionGrants = new Set([fileGrant(inside), fileGrant(outside)]);
  expect(decide([inside, outside], { policy: "untrusted", sessionGrants })).toEqual({
    kind: "run",
    basis: { kind: "sessionGrant" },
  });
  expect(decide([inside, join(base, "c")], { policy: "untrusted", sessionGrants })).toMatchObject(ASK);
  expect(decide([outside], { policy: "never", sessionGrants })).toEqual(OUT);
});

test("a patch without files is refused", () => {
  expect(decide([])).toEqual({ kind: "forbid", reason: "patch rejected: empty patch" });
});
