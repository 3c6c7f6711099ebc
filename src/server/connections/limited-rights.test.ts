import { expect, test } from "vitest";
import { resources } from "../../protocol/rows/resources.ts";
import { changesRules, readWantedRights, withinRights } from "./limited-rights.ts";

const memberOf = (params: unknown) => readWantedRights(params).member;

test.each([
  [{ approvalPolicy: "never" }, "approvalPolicy"],
  [{ approvalPolicy: "on-request" }, "approvalPolicy"],
  [{ sandbox: "danger-full-access" }, "sandbox"],
  [{ sandboxPolicy: { type: "readOnly", networkAccess: true } }, "sandboxPolicy"],
  [{ config: { sandbox_mode: "danger-full-access" } }, "config"],
  [{ runtimeWorkspaceRoots: ["/"] }, "runtimeWorkspaceRoots"],
  [{ turnStartParams: { permissions: "mine" } }, "permissions"],
  [{ target: { type: "newThread", threadStartParams: { sandbox: "workspace-write" } } }, "sandbox"],
  [{ path: "/tmp/rollout.jsonl" }, "path"],
  [{ rolloutPath: "/tmp/rollout.jsonl" }, "rolloutPath"],
])("%j could extend rights", (params, member) => {
  expect(memberOf(params)).toBe(member);
});

test.each([
  { input: [{ type: "localImage", path: "/a.png" }] },
  { approvalPolicy: "untrusted", sandbox: "read-only", sandboxPolicy: { type: "readOnly" } },
  { approvalPolicy: null, sandbox: null, environments: [], config: {} },
  { outputSchema: { properties: { sandbox: { type: "string" } } } },
  { model: "m", effort: "high" },
])("%j extends no rights", (params) => {
  expect(memberOf(params)).toBeNull();
});

test("every folder that a request names is checked", async () => {
  const asked: string[] = [];
  const handle = withinRights(
    "thread/start",
    () => "ran",
    async (path) => {
      asked.push(path);
      return path === "/known";
    },
  );
  const context = {} as never;
  expect(await handle({ cwd: "/known" }, context)).toBe("ran");
  await expect(handle({ roots: ["/known", "/etc"] }, context)).rejects.toMatchObject({ code: -32003 });
  await expect(handle({ turnStartParams: { cwd: "/etc" } }, context)).rejects.toMatchObject({ code: -32003 });
  expect(asked).toEqual(["/known", "/known", "/etc", "/etc"]);
});

test("params nested deeper than any known request are refused", () => {
  let params: object = { sandbox: "danger-full-access" };
  for (let depth = 0; depth < 6; depth++) params = { inner: params };
  expect(memberOf(params)).not.toBeNull();
});

test("an answer that adds a rule or is remembered changes rules", () => {
  const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["rm"] } };
  expect(changesRules({ decision: amendment })).toBe(true);
  expect(changesRules(amendment)).toBe(true);
  expect(changesRules({ action: "accept", content: null, _meta: { persist: "always" } })).toBe(true);
  expect(changesRules({ decision: "acceptForSession" })).toBe(false);
  expect(changesRules("accept")).toBe(false);
});

/** Members whose name says that they are about rights, so that a new one is noticed. */
const ABOUT_RIGHTS = /sandbox|approval|permission|roots|environments|^cwd$/iu;
const HARMLESS = new Set(["parentCwd"]);

test("no member of a request for operate that is about rights is unknown", () => {
  const names = new Set<string>();
  for (const { requests = {} } of resources)
    for (const row of Object.values(requests))
      if (row.scope === "operate" && row.params !== null) collect(row.params, names, new Set());
  const unknown = [...names].filter((name) => {
    if (!ABOUT_RIGHTS.test(name) || HARMLESS.has(name)) return false;
    const { member, folders } = readWantedRights({ [name]: "/x" });
    return member === null && folders.length === 0;
  });
  expect(unknown).toEqual([]);
});

function collect(schema: unknown, names: Set<string>, seen: Set<unknown>): void {
  if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
  seen.add(schema);
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "properties") collect(value, names, seen);
    else
      for (const [name, member] of Object.entries(value as object)) {
        names.add(name);
        // What is refused as a whole is not searched.
        if (readWantedRights({ [name]: "/x" }).member === null) collect(member, names, seen);
      }
  }
}
