import { describe, expect, test } from "vitest";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { type CommandDecision, POLICY } from "../../policy/decide-command.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { Decision, DecisionLog } from "../../store/decisions/decision-log.ts";
import { createMemoryDecisions } from "../../store/memory/memory-decisions.ts";
import type { ApprovalDecision, ApprovalRequest, CommandApproval, ItemLog } from "../../tools/tool.ts";
import type { Clients, OpenRequest } from "../clients.ts";
import { createQuestions } from "../questions.ts";
import { createActiveTurn } from "../turn/active-turn.ts";
import type { ThreadCore } from "../turn/thread-core.ts";
import { createApprover } from "./approver.ts";
import type { Judge } from "./judge.ts";

type Given = Awaited<OpenRequest<never>["answer"]>;

const command: CommandApproval = {
  kind: "command",
  item: {
    type: "commandExecution",
    id: "call",
    pluginId: null,
    scriptPath: null,
    command: "make",
    cwd: "/project",
    processId: null,
    source: "agent",
    status: "inProgress",
    commandActions: [],
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  },
  argv: ["make"],
  cwd: "/project",
  tty: false,
  shell: "/bin/bash",
  reason: null,
  escalated: false,
  wantedPrefix: null,
  afterDenial: null,
};
const patch: ApprovalRequest = { kind: "fileChange", itemId: "call", paths: ["/project/a"], reason: null };

const QUESTION: CommandDecision = {
  kind: "ask",
  reason: null,
  proposedAmendment: ["make"],
  availableDecisions: ["accept", "cancel"],
  sandboxed: true,
};

interface Surroundings {
  readonly judge?: Partial<Judge>;
  readonly decisions?: Partial<DecisionLog>;
}

/** An approver whose clients answer as the test says; `told` has what they see, `done` what was granted. */
function open({ judge, decisions }: Surroundings = {}) {
  const told: string[] = [];
  const done: string[] = [];
  const asked: Deferred<Given>[] = [];
  const questions: unknown[] = [];
  const clock = createFakeClock();
  const turn = createActiveTurn("user", () => "turn", "turn");
  const stored = createMemoryDecisions();
  let onRecorded = () => {};
  const log: DecisionLog = {
    ...stored,
    async close(...entry) {
      const isOpen = await stored.close(...entry);
      onRecorded();
      return isOpen;
    },
    ...decisions,
  };
  const clients: Clients = {
    open(_threadId, _method, params) {
      questions.push(params);
      const given = createDeferred<Given>();
      asked.push(given);
      return { id: asked.length - 1, answer: given.promise, withdraw() {} };
    },
  };
  const show = (word: string) => (item: ThreadItem) =>
    void told.push(`${word} ${"status" in item ? item.status : ""}`);
  const items: ItemLog = {
    begin: show("begin"),
    complete: show("complete"),
    outputDelta() {},
    terminalInteraction() {},
    mcpProgress() {},
  };
  const core = {
    id: "thread",
    clock,
    log: silentLogger,
    emit: (method: string) => void told.push(method),
    history: {
      prepare: (given: readonly unknown[]) => given,
      submit: (items: readonly unknown[]) => ({ id: "submitted", items }),
    },
    questions: createQuestions({
      threadId: "thread",
      clients,
      clock,
      timeoutMs: 60_000,
      emit: (method) => void told.push(method),
      caughtUp: () => null,
      onChange() {},
    }),
  } as unknown as ThreadCore;
  const approve = createApprover({
    core,
    turn,
    items,
    decisions: log,
    judge: {
      allowsRetries: true,
      command: async () => QUESTION,
      fileChange: () => ({ kind: "ask", reason: null }),
      grantCommand: async () => void done.push("granted"),
      grantFiles: () => void done.push("files granted"),
      allowPrefix: async (prefix) => void done.push(`allowed ${prefix.join(" ")}`),
      ...judge,
    },
  });
  async function recorded() {
    const list = await stored.list({ limit: 9 });
    return list.map(({ subject, verdict }: Decision) => ({
      subject: subject.kind,
      ...verdict,
      atMs: undefined,
    }));
  }
  const listen = (heard: () => void) => {
    onRecorded = heard;
  };
  return { approve, told, done, asked, questions, clock, turn, recorded, onRecorded: listen };
}

/** Runs one request, and gives its only question this answer. */
async function answered(request: ApprovalRequest, given: object, surroundings?: Surroundings) {
  const bench = open(surroundings);
  const decision = bench.approve(request);
  await until(() => bench.asked.length > 0);
  bench.asked[0]?.resolve(given as Given);
  return { ...bench, decision: await decision };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 50 && !isSo(); tries += 1) await Promise.resolve();
  expect(isSo()).toBe(true);
}

const decide = (decision: unknown) => ({ kind: "answered", result: { decision }, from: "editor" });
const CLIENT = { kind: "client", name: "editor" };
const approved = (changes: object = {}): ApprovalDecision => ({
  kind: "approved",
  sandboxed: true,
  retry: "approved",
  ...changes,
});
const FAILED = { kind: "declined", reason: "approval request failed", cause: "answer" };

describe("an answer about a command", () => {
  test.each([
    ["accept", [], null],
    ["acceptForSession", ["granted"], "for the session"],
    [
      { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make", "it"] } },
      ["allowed make it"],
      'for every command that begins with ["make", "it"]',
    ],
  ])("%j lets it run, and is recorded with its reach", async (decision, granted, reason) => {
    const bench = await answered(command, decide(decision));
    expect(bench.decision).toEqual(approved());
    expect(bench.done).toEqual(granted);
    expect(bench.told).toEqual(["begin inProgress", "serverRequest/resolved"]);
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "approved", by: CLIENT, reason, atMs: undefined },
    ]);
  });

  test("is asked for with the command as it would run, whatever its item shows", async () => {
    const argv = ["bash", "-c", "cat a token=abcdefgh12"];
    const item = { ...command.item, command: "shown" };
    const { questions } = await answered({ ...command, item, argv }, decide("accept"));
    expect(questions).toEqual([
      expect.objectContaining({
        command: "bash -c 'cat a token=abcdefgh12'",
        commandActions: [{ type: "unknown", command: "cat a token=abcdefgh12" }],
      }),
    ]);
  });

  test("that declines it ends its item and not the turn", async () => {
    const bench = await answered(command, decide("decline"));
    expect(bench.decision).toEqual({ kind: "declined", reason: "rejected by user", cause: "answer" });
    expect(bench.told).toEqual(["begin inProgress", "serverRequest/resolved", "complete declined"]);
    expect(bench.turn.abort.signal.aborted).toBe(false);
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "denied", by: CLIENT, reason: null, atMs: undefined },
    ]);
  });

  test("that cancels it ends the turn", async () => {
    const bench = await answered(command, decide("cancel"));
    expect(bench.decision).toEqual({ kind: "cancelled" });
    expect(bench.turn.abort.signal.aborted).toBe(true);
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "cancelled", by: CLIENT, reason: null, atMs: undefined },
    ]);
  });

  test("that allows a prefix which cannot be kept lets it run, and the user is warned", async () => {
    const allowPrefix = () => Promise.reject(new Error("the disk is full"));
    const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make"] } };
    const bench = await answered(command, decide(amendment), { judge: { allowPrefix } });
    expect(bench.decision).toEqual(approved());
    expect(bench.told.at(-1)).toBe("warning");
    expect(bench.turn.pending.isEmpty).toBe(true);
  });

  test("for the session that cannot be kept lets it run once", async () => {
    const grantCommand = () => Promise.reject(new Error("no grammar"));
    const bench = await answered(command, decide("acceptForSession"), { judge: { grantCommand } });
    expect(bench.decision).toEqual(approved());
  });
});

describe("an answer about files", () => {
  test.each([
    ["accept", [], null],
    ["acceptForSession", ["files granted"], "for the session"],
  ])("%s lets them be changed", async (decision, granted, reason) => {
    const bench = await answered(patch, decide(decision));
    expect(bench.decision).toEqual(approved({ retry: null }));
    expect(bench.done).toEqual(granted);
    expect(await bench.recorded()).toEqual([
      { subject: "fileChange", outcome: "approved", by: CLIENT, reason, atMs: undefined },
    ]);
  });

  test("that declines or cancels leaves them as they are", async () => {
    const declined = await answered(patch, decide("decline"));
    expect(declined.decision).toEqual({
      kind: "declined",
      reason: "patch rejected by user",
      cause: "answer",
    });
    const cancelled = await answered(patch, decide("cancel"));
    expect(cancelled.decision).toEqual({ kind: "cancelled" });
    expect([declined.turn.abort.signal.aborted, cancelled.turn.abort.signal.aborted]).toEqual([false, true]);
  });
});

describe("without a question", () => {
  const byRule = { kind: "rule", prefix: ["make"], file: "/home/rules/own.rules" } as const;

  test("the policy, a rule or an earlier answer decides, and that is recorded", async () => {
    const run = { kind: "run", sandboxed: true } as const;
    for (const basis of [POLICY, byRule, { kind: "sessionGrant" } as const]) {
      const bench = open({ judge: { command: async () => ({ ...run, basis }) } });
      const retry = basis.kind === "sessionGrant" ? "approved" : "unapproved";
      expect(await bench.approve(command)).toEqual(approved({ retry }));
      expect(await bench.recorded()).toEqual([
        { subject: "command", outcome: "approved", by: basis, reason: null, atMs: undefined },
      ]);
      expect([bench.told, bench.asked]).toEqual([[], []]);
    }
  });

  test("a command that the policy forbids is declined for its reason", async () => {
    const verdict = { kind: "forbid", cause: "policy", reason: "not that one", basis: byRule } as const;
    const bench = open({ judge: { command: async () => verdict } });
    expect(await bench.approve(command)).toEqual({
      kind: "declined",
      reason: "not that one",
      cause: "policy",
    });
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "denied", by: byRule, reason: "not that one", atMs: undefined },
    ]);
  });

  test("leave to try again is given only where the sandbox holds and the policy lets users decide", async () => {
    const run = { kind: "run", basis: POLICY } as const;
    const free = open({ judge: { command: async () => ({ ...run, sandboxed: false }) } });
    expect(await free.approve(command)).toEqual(approved({ sandboxed: false, retry: null }));
    const strict = open({
      judge: { allowsRetries: false, command: async () => ({ ...run, sandboxed: true }) },
    });
    expect(await strict.approve(command)).toEqual(approved({ retry: null }));
  });
});

describe("a request is denied, visibly and on record,", () => {
  const failure = (reason: string) => [
    { subject: "command", outcome: "denied", by: { kind: "failure" }, reason, atMs: undefined },
  ];
  const FAILED_ITEM = ["begin inProgress", "serverRequest/resolved", "complete failed"];

  test("when a client answers with an error or with nonsense, or the server ends", async () => {
    const bench = await answered(command, { kind: "unanswered", reason: "the client said no" });
    expect(bench.decision).toEqual(FAILED);
    expect(bench.told).toEqual(FAILED_ITEM);
    expect(await bench.recorded()).toEqual(failure("the client said no"));
    const files = await answered(patch, { kind: "unanswered", reason: "the client said no" });
    expect(files.decision).toEqual(FAILED);
  });

  test("when nobody answers in time", async () => {
    const bench = open();
    const decision = bench.approve(command);
    await until(() => bench.asked.length > 0);
    bench.clock.advance(60_000);
    expect(await decision).toEqual(FAILED);
    expect(bench.told).toEqual(FAILED_ITEM);
    expect(await bench.recorded()).toEqual([
      {
        subject: "command",
        outcome: "denied",
        by: { kind: "timeOut" },
        reason: "nobody answered within 60 seconds",
        atMs: undefined,
      },
    ]);
  });

  test("when the turn ends first", async () => {
    const bench = open();
    const decision = bench.approve(command);
    await until(() => bench.asked.length > 0);
    bench.turn.abort.abort();
    expect(await decision).toEqual({ kind: "cancelled" });
    bench.asked[0]?.resolve(decide("accept") as Given);
    expect(await bench.recorded()).toEqual([
      {
        subject: "command",
        outcome: "cancelled",
        by: { kind: "interruption" },
        reason: "the turn ended first",
        atMs: undefined,
      },
    ]);
  });

  test("when the judge throws", async () => {
    const bench = open({ judge: { command: () => Promise.reject(new Error("the rules are gone")) } });
    expect(await bench.approve(command)).toEqual(FAILED);
    expect(bench.told).toEqual(["begin inProgress", "complete failed"]);
    expect(await bench.recorded()).toEqual(failure("the rules are gone"));
    const files = open({
      judge: {
        fileChange() {
          throw new Error("no bounds");
        },
      },
    });
    expect(await files.approve(patch)).toEqual(FAILED);
  });

  test("when another server has closed the question", async () => {
    const bench = await answered(command, decide("accept"), { decisions: { close: async () => false } });
    expect(bench.decision).toEqual(FAILED);
    expect(bench.told.at(-1)).toBe("complete failed");
    const files = await answered(patch, decide("accept"), { decisions: { close: async () => false } });
    expect(files.decision).toEqual(FAILED);
  });

  test("when the decision cannot be recorded, and clients and the model hear why", async () => {
    const broken = () => Promise.reject(new Error("the disk is full"));
    const reason = "approval request failed: the decision could not be recorded: the disk is full";
    const unrecorded = { ...FAILED, reason };
    const unasked = open({ decisions: { open: broken, record: broken } });
    expect(await unasked.approve(command)).toEqual(unrecorded);
    expect([unasked.asked, unasked.told.at(-1)]).toEqual([[], "warning"]);
    const run = { kind: "run", sandboxed: true, basis: POLICY } as const;
    const allowed = open({ decisions: { record: broken }, judge: { command: async () => run } });
    expect(await allowed.approve(command)).toEqual(unrecorded);
    for (const request of [command, patch]) {
      for (const word of ["accept", "acceptForSession"]) {
        const asked = await answered(request, decide(word), { decisions: { close: broken } });
        expect(asked.decision).toEqual(unrecorded);
        expect(asked.done).toEqual([]);
      }
    }
    const refused = { kind: "unanswered", reason: "x" };
    const unanswered = await answered(command, refused, { decisions: { close: broken } });
    expect(unanswered.told).toEqual([...FAILED_ITEM, "warning"]);
  });
});

describe("an answer is on record", () => {
  test.each([
    ["a command", command, ["begin inProgress", "recorded", "serverRequest/resolved", "complete declined"]],
    ["files", patch, ["recorded", "serverRequest/resolved"]],
  ])("before anybody hears of it: %s", async (_name, request, told) => {
    const bench = open();
    const decision = bench.approve(request);
    await until(() => bench.asked.length > 0);
    bench.onRecorded(() => bench.told.push("recorded"));
    bench.asked[0]?.resolve(decide("decline") as Given);
    await decision;
    expect(bench.told).toEqual(told);
  });
});
