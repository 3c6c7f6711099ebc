import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import { testSettings } from "../../engine/thread.fixture.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import { applyCeiling, ceilingOf, findExcess, readCeiling, storeCeiling } from "./ceiling.ts";

const settingsWith = (change: Partial<ThreadSettings>): ThreadSettings => ({ ...testSettings, ...change });

const POLICIES: readonly AskForApproval[] = [
  "untrusted",
  "on-request",
  "never",
  { granular: { sandbox_approval: true, rules: true, mcp_elicitations: false } },
];
const FOLDERS = ["/project", "/project/part", "/other"];

/** As objects that JSON makes. */
const record = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { noNullPrototype: true });

const policy = fc.constantFrom(...POLICIES);
const sandbox: fc.Arbitrary<SandboxPolicy> = fc.oneof(
  fc.constant({ type: "dangerFullAccess" as const }),
  record({ type: fc.constant("readOnly" as const), networkAccess: fc.boolean() }),
  record({
    type: fc.constant("workspaceWrite" as const),
    writableRoots: fc.subarray(FOLDERS),
    networkAccess: fc.boolean(),
    excludeTmpdirEnvVar: fc.boolean(),
    excludeSlashTmp: fc.boolean(),
  }),
  record({
    type: fc.constant("externalSandbox" as const),
    networkAccess: fc.constantFrom("restricted" as const, "enabled" as const),
  }),
);
const settings = fc
  .record({ approvalPolicy: policy, sandbox, cwd: fc.constantFrom(...FOLDERS) })
  .map(settingsWith);

test("a thread is within its own rights, and whatever is wanted is brought within the ceiling", () => {
  fc.assert(
    fc.property(settings, settings, (parent, wanted) => {
      const ceiling = readCeiling(JSON.parse(JSON.stringify(storeCeiling(ceilingOf(parent)))));
      expect(ceiling).toEqual(ceilingOf(parent));
      expect(findExcess(parent, ceiling)).toBeNull();
      const applied = applyCeiling(wanted, ceiling);
      expect(findExcess(applied.settings, ceiling)).toBeNull();
      const isWithin = findExcess(wanted, ceiling) === null;
      expect(applied.settings === wanted).toBe(isWithin);
      expect(applied.warnings.length === 0).toBe(isWithin);
    }),
  );
});

test("rights shrink from generation to generation", () => {
  fc.assert(
    fc.property(settings, settings, settings, (grandparent, parent, child) => {
      const within = applyCeiling(parent, ceilingOf(grandparent)).settings;
      const last = applyCeiling(child, ceilingOf(within)).settings;
      expect(findExcess(last, ceilingOf(grandparent))).toBeNull();
    }),
  );
});

const WRITE = { type: "workspaceWrite", networkAccess: false } as const;

test.each<[string, Partial<ThreadSettings>, Partial<ThreadSettings>]>([
  ["a larger sandbox", { sandbox: { type: "readOnly" } }, { sandbox: WRITE }],
  ["no sandbox", { sandbox: WRITE }, { sandbox: { type: "dangerFullAccess" } }],
  ["the network", { sandbox: WRITE }, { sandbox: { ...WRITE, networkAccess: true } }],
  ["another folder", { sandbox: WRITE }, { sandbox: WRITE, cwd: "/elsewhere" }],
  ["a further root", { sandbox: WRITE }, { sandbox: { ...WRITE, writableRoots: ["/elsewhere"] } }],
  ["/tmp", { sandbox: { ...WRITE, excludeSlashTmp: true } }, { sandbox: WRITE }],
  ["fewer questions", { approvalPolicy: "untrusted" }, { approvalPolicy: "never" }],
  ["questions of its own", { approvalPolicy: "never" }, { approvalPolicy: "on-request" }],
])("%s exceeds the rights of the parent", (_what, parent, child) => {
  expect(findExcess(settingsWith(child), ceilingOf(settingsWith(parent)))).toContain("exceeds");
});

test("a folder within that of the parent is within its rights, and a link out of it is not", () => {
  const root = mkdtempSync(join(tmpdir(), "heddle-ceiling-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [project, outside] = [join(root, "project"), join(root, "outside")];
  mkdirSync(join(project, "part"), { recursive: true });
  mkdirSync(outside);
  symlinkSync(outside, join(project, "link"));
  const ceiling = ceilingOf(settingsWith({ sandbox: WRITE, cwd: project }));
  const inFolder = (cwd: string) => findExcess(settingsWith({ sandbox: WRITE, cwd }), ceiling);
  expect(inFolder(join(project, "part"))).toBeNull();
  expect(inFolder(join(project, "link"))).toContain("exceeds");
  expect(inFolder(join(project, "..", "outside"))).toContain("exceeds");
});

test.each([
  {},
  { approvalPolicy: "never" },
  { approvalPolicy: "never", sandbox: { type: "?" }, writableRoots: [] },
])("a damaged ceiling allows nothing but reading: %j", (stored) => {
  expect(readCeiling(stored)).toEqual({
    approvalPolicy: "untrusted",
    sandbox: { type: "readOnly", networkAccess: false },
    writableRoots: [],
  });
});
