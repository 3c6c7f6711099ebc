/** Everything but a valid approval is a denial: it is shown, it is recorded, and nothing runs. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  ApprovalHarness,
  type ApprovalHarnessOptions,
  ASKED,
  initialize,
  MAKES_A_FILE,
} from "../support/approval-harness.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { testWith } from "../support/needs-program.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { startServer } from "../support/start-server.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  opened = await ApprovalHarness.open(options);
  return opened;
}

const UNTRUSTED = { approvalPolicy: "untrusted", sandbox: "danger-full-access" };
const FAILED = `exec_command failed: CreateProcess { message: "Rejected(\\"approval request failed\\")" }`;
const failedItem = {
  method: "item/completed",
  params: { item: { type: "commandExecution", status: "failed" } },
};
const ended = (status: string) => ({ method: "turn/completed", params: { turn: { status } } });
const ONE_SECOND = "[approvals]\ntimeout_sec = 1\n";
const DONE = messageReply("Done", { id: "9" });
const CLIENT = { kind: "client", name: "editor" };

async function nextId(client: RpcClient): Promise<number> {
  return (await client.next({ method: ASKED }))["id"] as number;
}

describe("a command is denied", () => {
  test("when the client answers with an error", async () => {
    const harness = await open();
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    client.refuse(await nextId(client), { code: -32_000, message: "no" });
    await client.next(failedItem);
    await client.next(ended("completed"));
    expect([harness.isMade, harness.toolOutput()]).toEqual([false, FAILED]);
    expect(await harness.decisions()).toEqual([{ outcome: "denied", by: { kind: "failure" }, reason: "no" }]);
  });

  test.each([
    [{}],
    [null],
    [{ decision: "yes" }],
    [{ decision: { accept: true } }],
    [["accept"]],
    ["accept"],
  ])("when the client answers %j", async (answer) => {
    const harness = await open();
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    client.answer(await nextId(client), answer);
    await client.next(failedItem);
    await client.next(ended("completed"));
    expect([harness.isMade, harness.toolOutput()]).toEqual([false, FAILED]);
    expect(await harness.decisions()).toMatchObject([{ outcome: "denied", by: { kind: "failure" } }]);
  });

  test("when nobody answers in time", async () => {
    const harness = await open({ config: ONE_SECOND });
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    const id = await nextId(client);
    await client.next({ method: "serverRequest/resolved", params: { requestId: id } });
    await client.next(failedItem);
    await client.next(ended("completed"));
    client.answer(id, { decision: "accept" });
    await client.result("thread/loaded/list", {});
    expect([harness.isMade, harness.toolOutput()]).toEqual([false, FAILED]);
    const reason = "nobody answered within 1 seconds";
    expect(await harness.decisions()).toEqual([{ outcome: "denied", by: { kind: "timeOut" }, reason }]);
  });

  test("when everybody is gone until the time is over", async () => {
    const harness = await open({ transport: "ws", config: ONE_SECOND });
    const watcher = await harness.connect("watcher");
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    await nextId(client);
    await client.close();
    await watcher.next({ method: "thread/status/changed", params: { status: { type: "idle" } } });
    expect([harness.isMade, harness.toolOutput()]).toEqual([false, FAILED]);
    expect(await harness.decisions()).toMatchObject([{ outcome: "denied", by: { kind: "timeOut" } }]);
  });

  test("when its turn is interrupted", async () => {
    const harness = await open();
    const client = await harness.connect();
    const ids = await harness.startTurn(client, UNTRUSTED);
    const id = await nextId(client);
    await client.result("turn/interrupt", ids);
    await client.next(ended("interrupted"));
    client.answer(id, { decision: "accept" });
    await client.result("thread/loaded/list", {});
    expect([harness.isMade, harness.model.requests.length]).toEqual([false, 1]);
    const reason = "the turn ended first";
    expect(await harness.decisions()).toEqual([
      { outcome: "cancelled", by: { kind: "interruption" }, reason },
    ]);
  });

  test("when the server ends", async () => {
    const harness = await open();
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    await nextId(client);
    await harness.restart("end of input");
    expect(harness.isMade).toBe(false);
    const reason = "the turn ended first";
    expect(await harness.decisions()).toEqual([
      { outcome: "cancelled", by: { kind: "interruption" }, reason },
    ]);
  });

  test("when another server has taken its thread meanwhile", async () => {
    const harness = await open();
    const client = await harness.connect();
    const { threadId } = await harness.startTurn(client, UNTRUSTED);
    const id = await nextId(client);
    const other = await startServer({ home: harness.home });
    try {
      const taker = await initialize(await other.connect(), "taker");
      await taker.result("thread/resume", { threadId, takeOver: true });
      client.answer(id, { decision: "accept" });
      await client.next({ method: "serverRequest/resolved" });
      await client.result("thread/loaded/list", {});
      expect(harness.isMade).toBe(false);
      expect(await harness.decisions()).toMatchObject([{ outcome: "denied", by: { kind: "failure" } }]);
    } finally {
      await other.stop();
    }
  });

  test("when a rules file cannot be read, although another one allows it", async () => {
    const harness = await open({
      files: {
        "home/rules/a.rules": 'prefix_rule(pattern=["touch"])\n',
        "home/rules/b.rules": Buffer.from([0xff, 0xfe, 0x00]),
      },
    });
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    client.answer(await nextId(client), { decision: "decline" });
    await client.next(ended("completed"));
    expect(harness.isMade).toBe(false);
    expect(await harness.decisions()).toEqual([{ outcome: "denied", by: CLIENT, reason: null }]);
  });

  test("when no sandbox can be had and nobody may be asked", async () => {
    const harness = await open({ env: { PATH: "/nowhere" } });
    const client = await harness.connect();
    await harness.startTurn(client, { approvalPolicy: "never", sandbox: "workspace-write" });
    await client.next(ended("completed"));
    expect(harness.isMade).toBe(false);
    expect(harness.toolOutput()).toContain("the sandbox cannot be enforced here");
    expect(await harness.decisions()).toMatchObject([{ outcome: "denied", by: { kind: "policy" } }]);
  });

  test("when its decision cannot be recorded", async () => {
    const harness = await open();
    mkdirSync(join(harness.home.home, "heddle.sqlite"));
    const client = await harness.connect();
    await harness.startTurn(client, { ...UNTRUSTED, ephemeral: true });
    await client.next(failedItem);
    await client.next(ended("completed"));
    expect(harness.isMade).toBe(false);
    expect(harness.toolOutput()).toContain(
      "the decision could not be recorded: unable to open database file",
    );
  });
});

describe("an answer counts only from a client that was asked", () => {
  test("and not under the number of a question of an earlier server", async () => {
    const harness = await open({ transport: "ws", model: [MAKES_A_FILE, MAKES_A_FILE, DONE] });
    const before = await harness.connect();
    const { threadId } = await harness.startTurn(before, UNTRUSTED);
    const stale = await nextId(before);
    await harness.restart("SIGKILL");
    const [owner, stranger] = [await harness.connect(), await harness.connect("stranger")];
    await owner.result("thread/resume", { threadId });
    await owner.result("turn/start", { threadId, input: [{ type: "text", text: "Go" }] });
    const id = await nextId(owner);
    expect(id).not.toBe(stale);
    expect(Number.isSafeInteger(id)).toBe(true);
    for (const client of [stranger, owner]) {
      client.answer(stale, { decision: "accept" });
      await client.result("thread/loaded/list", {});
    }
    expect([harness.isMade, (await harness.decisions()).at(-1)]).toEqual([false, "open"]);
    owner.answer(id, { decision: "decline" });
    await owner.next(ended("completed"));
    expect(harness.isMade).toBe(false);
  });

  test("and not from one that only knows its number", async () => {
    const harness = await open({ transport: "ws" });
    const [client, stranger] = [await harness.connect(), await harness.connect("stranger")];
    await harness.startTurn(client, UNTRUSTED);
    const id = await nextId(client);
    stranger.answer(id, { decision: "accept" });
    stranger.refuse(id, { code: -32_000, message: "no" });
    await stranger.result("thread/loaded/list", {});
    expect([harness.isMade, await harness.decisions()]).toEqual([false, ["open"]]);
    client.answer(id, { decision: "accept" });
    await client.next(ended("completed"));
    expect(harness.isMade).toBe(true);
    expect(await harness.decisions()).toEqual([{ outcome: "approved", by: CLIENT, reason: null }]);
  });

  test("also when it has stopped listening to the thread since", async () => {
    const harness = await open({ transport: "ws" });
    const client = await harness.connect();
    const { threadId } = await harness.startTurn(client, UNTRUSTED);
    const id = await nextId(client);
    await client.result("thread/unsubscribe", { threadId });
    const watcher = await harness.connect("watcher");
    await watcher.result("thread/resume", { threadId });
    client.answer(id, { decision: "accept" });
    await watcher.next(ended("completed"));
    expect(harness.isMade).toBe(true);
  });
});

describe("a decision is on record", () => {
  test("with its rule, its client and its reach", async () => {
    const call = (id: string, cmd: string) =>
      reply(id, functionCallDone(`call_${id}`, "exec_command", { cmd }));
    const harness = await open({
      model: [
        call("1", "touch ruled"),
        call("2", "touch other"),
        call("3", "touch other"),
        messageReply("Done", { id: "9" }),
      ],
      files: { "home/rules/own.rules": 'prefix_rule(pattern=["touch", "ruled"])\n' },
    });
    const client = await harness.connect();
    await harness.startTurn(client, UNTRUSTED);
    client.answer(await nextId(client), { decision: "acceptForSession" });
    await client.next(ended("completed"));
    const file = join(harness.home.home, "rules", "own.rules");
    const decisions = await harness.decisions();
    expect(decisions).toEqual([
      { outcome: "approved", by: { kind: "rule", prefix: ["touch", "ruled"], file }, reason: null },
      { outcome: "approved", by: CLIENT, reason: "for the session" },
      { outcome: "approved", by: { kind: "sessionGrant" }, reason: null },
    ]);
    expect(await harness.printedDecisions()).toEqual(decisions);
  });

  test("as open while it is awaited, and as denied when its process died", async () => {
    const harness = await open({ transport: "ws" });
    const client = await harness.connect();
    const { threadId } = await harness.startTurn(client, UNTRUSTED);
    await nextId(client);
    expect(await harness.decisions()).toEqual(["open"]);
    expect(await harness.printedDecisions()).toEqual(["open"]);
    await harness.restart("SIGKILL");
    const later = await harness.connect();
    await later.result("thread/resume", { threadId });
    expect(harness.isMade).toBe(false);
    const reason = "the server ended before anybody answered";
    expect(await harness.decisions()).toEqual([{ outcome: "denied", by: { kind: "failure" }, reason }]);
  });
});

describe("a command that its sandbox stops", () => {
  const READ_ONLY = { sandbox: "read-only" };
  const granular = { granular: { sandbox_approval: true, rules: true, mcp_elicitations: true } };

  testWith("bwrap", "runs outside of it where the user has allowed it", async () => {
    const harness = await open();
    const client = await harness.connect();
    await harness.startTurn(client, { ...READ_ONLY, approvalPolicy: "untrusted" });
    client.answer(await nextId(client), { decision: "accept" });
    await client.next(ended("completed"));
    expect(harness.isMade).toBe(true);
    expect(await harness.decisions()).toEqual([
      { outcome: "approved", by: CLIENT, reason: null },
      { outcome: "approved", by: { kind: "policy" }, reason: null },
    ]);
  });

  testWith("bwrap", "is asked about before it runs outside of it, and shows once", async () => {
    const harness = await open();
    const client = await harness.connect();
    await harness.startTurn(client, { ...READ_ONLY, approvalPolicy: granular });
    const asked = await client.next({ method: ASKED });
    expect(asked["params"]).toMatchObject({
      reason: "command failed; retry without sandbox?",
      proposedExecpolicyAmendment: ["touch", "made"],
    });
    expect(harness.isMade).toBe(false);
    client.answer(asked["id"] as number, { decision: "decline" });
    await client.next(ended("completed"));
    const shown = client.received.filter(
      ({ method, message }) =>
        method?.startsWith("item/") === true && JSON.stringify(message).includes('"commandExecution"'),
    );
    expect(shown.map(({ method }) => method)).toEqual(["item/started", "item/completed"]);
    expect(harness.isMade).toBe(false);
  });

  testWith("bwrap", "stays stopped where the policy lets nobody decide", async () => {
    const harness = await open({ model: [MAKES_A_FILE, messageReply("Done", { id: "9" })] });
    const client = await harness.connect();
    await harness.startTurn(client, { ...READ_ONLY, approvalPolicy: "on-request" });
    await client.next(ended("completed"));
    expect(harness.isMade).toBe(false);
    expect(harness.toolOutput()).toContain("Read-only file system");
    expect(await harness.decisions()).toEqual([
      { outcome: "approved", by: { kind: "policy" }, reason: null },
    ]);
  });
});
