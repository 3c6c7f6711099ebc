import { expect, test } from "vitest";
import type { Answer } from "../ask.ts";
import { type Noted, noteLeave } from "../leave-record.fixture.ts";
import type { ToolContext } from "../tool.ts";
import { openToolBench } from "../tool-bench.fixture.ts";
import { createPermissionGrants, NOTHING_GRANTED } from "./permission-grants.ts";
import { createRequestPermissions } from "./request-permissions.ts";

interface OpenOptions {
  readonly mayAsk?: boolean;
  readonly answer?: Answer<unknown>;
  readonly recordLeave?: ToolContext["recordLeave"];
}

function open(result: unknown, { mayAsk = true, answer, recordLeave }: OpenOptions = {}) {
  const grants = createPermissionGrants();
  const noted: Noted[] = [];
  const bench = openToolBench({
    cwd: "/project",
    answer: answer ?? { kind: "answered", result, from: "editor" },
    recordLeave: recordLeave ?? noteLeave(noted),
  });
  const tool = createRequestPermissions({ grants, mayAsk, now: () => 7 });
  return { ...bench, grants, noted, ask: (permissions: unknown) => bench.call(tool, { permissions }) };
}

const NETWORK = { network: { enabled: true } };
const subject = { kind: "permissions", network: true, read: [], write: [] };
const editor = { kind: "client", name: "editor" };

test("what is granted of what was asked for holds in the turn, and is on record", async () => {
  const { ask, grants, seen, noted } = open({
    permissions: { fileSystem: { write: ["/project/a", "/etc"] }, network: { enabled: true } },
  });
  const { output } = await ask({ file_system: { write: ["a", "/b"] } });
  expect(output).toBe(
    '{"permissions":{"network":null,"file_system":{"write":["/project/a"]}},"scope":"turn"}',
  );
  expect(grants.of("turn-1")).toEqual({ writableRoots: ["/project/a"], network: false });
  expect(grants.of("turn-2")).toEqual(NOTHING_GRANTED);
  expect(seen).toMatchObject([{ method: "item/permissions/requestApproval", params: { cwd: "/project" } }]);
  expect(noted).toEqual([
    {
      subject: { ...subject, network: false, write: ["/project/a", "/b"] },
      outcome: "approved",
      by: editor,
      reason: "for the turn: write /project/a",
      wasAsked: true,
    },
  ]);
});

test("a grant for the session holds in later turns", async () => {
  const { ask, grants, noted } = open({ permissions: NETWORK, scope: "session" });
  await ask(NETWORK);
  expect(grants.of("turn-2")).toEqual({ writableRoots: [], network: true });
  expect(noted).toEqual([
    { subject, outcome: "approved", by: editor, reason: "for the session: the network", wasAsked: true },
  ]);
});

test("a refusal is on record", async () => {
  const { ask, noted } = open({ permissions: {} });
  await ask(NETWORK);
  expect(noted).toEqual([
    { subject, outcome: "denied", by: editor, reason: "rejected by user", wasAsked: true },
  ]);
});

test("where nobody may be asked, and where nobody answers, nothing is granted", async () => {
  const silent = open({}, { mayAsk: false });
  expect((await silent.ask(NETWORK)).output).toContain('"network":null');
  expect(silent.seen).toEqual([]);
  expect(silent.noted).toEqual([
    { subject, outcome: "denied", by: { kind: "policy" }, reason: "nobody may be asked", wasAsked: false },
  ]);

  const late = open({}, { answer: { kind: "unanswered", reason: "too late", cause: "timeOut" } });
  expect((await late.ask(NETWORK)).output).toContain('"network":null');
  expect(late.grants.of("turn-1")).toEqual(NOTHING_GRANTED);
  expect(late.noted).toEqual([
    { subject, outcome: "denied", by: { kind: "timeOut" }, reason: "too late", wasAsked: true },
  ]);
});

test("what cannot be recorded is not granted", async () => {
  const failures: string[] = [];
  const recordLeave: ToolContext["recordLeave"] = () => ({
    ask: async () => {},
    decide: () => Promise.reject(new Error("a full disk")),
    fail: async (reason) => void failures.push(reason),
  });
  const { ask, grants } = open({ permissions: NETWORK, scope: "session" }, { recordLeave });
  expect((await ask(NETWORK)).output).toContain('"network":null');
  expect(grants.of("turn-1")).toEqual(NOTHING_GRANTED);
  expect(failures).toEqual(["a full disk"]);
});
