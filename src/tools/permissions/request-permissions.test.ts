import { expect, test } from "vitest";
import type { PermissionAnswer, PermissionSubject } from "../permission.ts";
import { openToolBench } from "../tool-bench.fixture.ts";
import { createPermissionGrants, NOTHING_GRANTED } from "./permission-grants.ts";
import { createRequestPermissions } from "./request-permissions.ts";

function open(answer: PermissionAnswer<"permissions">) {
  const asked: PermissionSubject[] = [];
  const bench = openToolBench({
    cwd: "/project",
    decide(subject) {
      asked.push(subject);
      return answer;
    },
  });
  const ask = async (permissions: unknown) =>
    (await bench.call(createRequestPermissions(), { permissions, reason: "to build" })).output;
  return { asked, ask };
}

const NETWORK = { network: { enabled: true } };
const NOTHING = '{"permissions":{"network":null,"file_system":null},"scope":"turn"}';

test("permission is requested with absolute paths, and the model receives what was granted", async () => {
  const granted = { network: false, read: [], write: ["/project/a"] };
  const { ask, asked } = open({ kind: "approved", granted, scope: "turn" });
  expect(await ask({ file_system: { write: ["a", "/b"] } })).toBe(
    '{"permissions":{"network":null,"file_system":{"write":["/project/a"]}},"scope":"turn"}',
  );
  expect(asked).toEqual([
    {
      kind: "permissions",
      call: expect.anything(),
      itemId: "call-1",
      cwd: "/project",
      reason: "to build",
      requested: { network: false, read: [], write: ["/project/a", "/b"] },
    },
  ]);
});

test("a denial is reported as no permissions", async () => {
  expect(await open({ kind: "cancelled" }).ask(NETWORK)).toBe(NOTHING);
  const no = { kind: "declined", reason: "no", cause: "answer" } as const;
  expect(await open(no).ask(NETWORK)).toBe(NOTHING);
  expect(await open({ ...no, scope: "session" }).ask(NETWORK)).toContain('"scope":"session"');
});

test("a request for nothing is refused", async () => {
  const { ask, asked } = open({ kind: "cancelled" });
  expect(await ask({})).toBe("request_permissions requires at least one permission");
  expect(asked).toEqual([]);
});

test("grants hold in their turn, or in all that follow", () => {
  const grants = createPermissionGrants();
  grants.grant("turn-1", "turn", { writableRoots: ["/project/a"], network: false });
  expect([grants.of("turn-1").writableRoots, grants.of("turn-2")]).toEqual([["/project/a"], NOTHING_GRANTED]);
  grants.grant("turn-1", "session", { writableRoots: [], network: true });
  expect(grants.of("turn-2")).toEqual({ writableRoots: [], network: true });
  expect(grants.of("turn-1")).toEqual({ writableRoots: ["/project/a"], network: true });
});
