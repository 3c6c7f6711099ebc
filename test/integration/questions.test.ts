/** A question outlives its server: the next one asks it again, and the answer runs the call once. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ApprovalHarness, type ApprovalHarnessOptions, ASKED } from "../support/approval-harness.ts";
import type { JsonObject } from "../support/json.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";

let opened: ApprovalHarness | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const THREAD = { approvalPolicy: "on-request", sandbox: "danger-full-access" };
const ASKS = "[approvals]\nafter_restart = 'ask'\n";
const RULES = 'prefix_rule(pattern=["tee"], decision="prompt")\n';
const run = (callId: string, cmd: string) => functionCallDone(callId, "exec_command", { cmd, login: false });
const DONE = messageReply("Done", { id: "9" });
/** Two calls run at once, and the one between them asks. */
const THREE_CALLS = reply(
  "1",
  run("call_1", "echo one >> ran"),
  run("call_2", "echo two | tee -a ran"),
  run("call_3", "echo three >> ran"),
);
const COMPLETED = { method: "turn/completed", params: { turn: { status: "completed" } } };

async function open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
  const files = { "home/rules/default.rules": RULES };
  opened = await ApprovalHarness.open({
    transport: "ws",
    config: ASKS,
    files,
    model: [THREE_CALLS, DONE],
    ...options,
  });
  return opened;
}

/** What the commands have done, a line each, sorted. */
function ran({ home }: ApprovalHarness): string[] {
  const file = join(home.workspace, "ran");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").sort() : [];
}

/** Starts the turn and waits until one call asks and the two others have ended. */
async function ask(harness: ApprovalHarness, client: RpcClient) {
  const ids = await harness.startTurn(client, THREAD);
  const asked = await client.next({ method: ASKED });
  for (const id of ["call_1", "call_3"])
    await client.next({ method: "item/completed", params: { item: { id, status: "completed" } } });
  return { ...ids, asked };
}

async function list(client: RpcClient, params: object = {}): Promise<JsonObject[]> {
  return ((await client.result("approval/list", params)) as { data: JsonObject[] }).data;
}

/** The outputs that the last model request has, by call. */
function outputs({ model }: ApprovalHarness): Record<string, unknown> {
  const { body } = model.requests.at(-1) ?? {};
  const { input } = body as { input: JsonObject[] };
  const found = input.filter(({ type }) => type === "function_call_output");
  return Object.fromEntries(found.map((item) => [String(item["call_id"]), item["output"]]));
}

describe("after kill -9 while one of three calls asks", () => {
  test("the answer of another connection runs that call once, and the turn goes on", async () => {
    const harness = await open();
    const before = await harness.connect();
    const { threadId, turnId } = await ask(harness, before);
    const [question] = await list(before);
    expect(question).toMatchObject({ threadId, turnId, itemId: "call_2", status: "open", isDurable: true });
    expect(ran(harness)).toEqual(["one", "three"]);

    await harness.restart("SIGKILL");
    const phone = await harness.connect("phone");
    expect(await list(phone)).toMatchObject([{ id: question?.["id"], status: "open", requestId: null }]);
    await phone.result("approval/answer", { id: question?.["id"], decision: "accept" });
    const editor = await harness.connect();
    await editor.result("thread/resume", { threadId });
    await editor.next({ method: "turn/completed", params: { turn: { id: turnId, status: "completed" } } });
    expect(ran(harness)).toEqual(["one", "three", "two"]);
    expect(outputs(harness)).toEqual({
      call_1: expect.stringContaining("Process exited with code 0"),
      call_2: expect.stringContaining("two"),
      call_3: expect.stringContaining("Process exited with code 0"),
    });
    expect(await harness.decisions()).toContainEqual({
      outcome: "approved",
      by: { kind: "client", name: "phone" },
      reason: null,
    });
  });

  test("whoever resumes the thread is asked again", async () => {
    const harness = await open();
    const { threadId, turnId, asked } = await ask(harness, await harness.connect());
    await harness.restart("SIGKILL");
    const client = await harness.connect();
    const resumed = (await client.result("thread/resume", { threadId })) as {
      thread: { status: JsonObject; turns: JsonObject[] };
    };
    expect(resumed.thread.status["type"]).toBe("active");
    expect(resumed.thread.turns).toMatchObject([{ id: turnId, status: "inProgress" }]);
    const again = await client.next({ method: ASKED });
    expect(again["params"]).toEqual(asked["params"]);
    client.answer(again["id"] as number, { decision: "decline" });
    await client.next(COMPLETED);
    expect(ran(harness)).toEqual(["one", "three"]);
    expect(outputs(harness)["call_2"]).toContain("rejected by user");
  });
});
