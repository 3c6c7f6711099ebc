import { expect, test } from "vitest";
import { openToolBench } from "../tool-bench.fixture.ts";
import { createPermissionGrants, NOTHING_GRANTED } from "./permission-grants.ts";
import { createRequestPermissions } from "./request-permissions.ts";

function open(result: unknown, mayAsk = true) {
  const grants = createPermissionGrants();
  const bench = openToolBench({ cwd: "/project", answer: { kind: "answered", result } });
  const tool = createRequestPermissions({ grants, mayAsk, now: () => 7 });
  return { ...bench, grants, ask: (permissions: unknown) => bench.call(tool, { permissions }) };
}

test("what is granted of what was asked for holds in the turn", async () => {
  const { ask, grants, seen } = open({
    permissions: { fileSystem: { write: ["/project/a", "/etc"] }, network: { enabled: true } },
  });
  const { output } = await ask({ file_system: { write: ["a", "/b"] } });
  expect(output).toBe(
    '{"permissions":{"network":null,"file_system":{"write":["/project/a"]}},"scope":"turn"}',
  );
  expect(grants.of("turn-1")).toEqual({ writableRoots: ["/project/a"], network: false });
  expect(grants.of("turn-2")).toEqual(NOTHING_GRANTED);
  expect(seen).toMatchObject([{ method: "item/permissions/requestApproval", params: { cwd: "/project" } }]);
});

test("a grant for the session holds in later turns", async () => {
  const { ask, grants } = open({ permissions: { network: { enabled: true } }, scope: "session" });
  await ask({ network: { enabled: true } });
  expect(grants.of("turn-2")).toEqual({ writableRoots: [], network: true });
});

test("where nobody may be asked, and where nobody answers, nothing is granted", async () => {
  const silent = open({}, false);
  expect((await silent.ask({ network: { enabled: true } })).output).toContain('"network":null');
  expect(silent.seen).toEqual([]);
  const grants = createPermissionGrants();
  const bench = openToolBench();
  const tool = createRequestPermissions({ grants, mayAsk: true, now: () => 7 });
  await bench.call(tool, { permissions: { network: { enabled: true } } });
  expect(grants.of("turn-1")).toEqual(NOTHING_GRANTED);
});
