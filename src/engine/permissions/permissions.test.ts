import { describe, expect, test } from "vitest";
import { POLICY_BASIS } from "../../policy/decide-command.ts";
import type { PermissionAnswer } from "../../tools/permission.ts";
import {
  answered,
  CLIENT,
  command,
  decide,
  type Given,
  mcpCall,
  more,
  openPermissions as open,
  patch,
  until,
} from "./permissions.fixture.ts";

const approved = (changes: object = {}): PermissionAnswer<"command"> => ({
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
    expect(bench.answer).toEqual(approved());
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
    expect(bench.answer).toEqual({ kind: "declined", reason: "rejected by user", cause: "answer" });
    expect(bench.told).toEqual(["begin inProgress", "serverRequest/resolved", "complete declined"]);
    expect(bench.turn.signal.aborted).toBe(false);
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "denied", by: CLIENT, reason: null, atMs: undefined },
    ]);
  });

  test("that cancels it ends the turn", async () => {
    const bench = await answered(command, decide("cancel"));
    expect(bench.answer).toEqual({ kind: "cancelled" });
    expect(bench.turn.signal.aborted).toBe(true);
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "cancelled", by: CLIENT, reason: null, atMs: undefined },
    ]);
  });

  test("that allows a prefix which cannot be kept lets it run, and the user is warned", async () => {
    const allowPrefix = () => Promise.reject(new Error("the disk is full"));
    const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make"] } };
    const bench = await answered(command, decide(amendment), { policy: { allowPrefix } });
    expect(bench.answer).toEqual(approved());
    expect(bench.told.at(-1)).toBe("warning");
    expect(bench.notes).toEqual([]);
  });

  test("for the session that cannot be kept lets it run once", async () => {
    const grantCommand = () => Promise.reject(new Error("no grammar"));
    const bench = await answered(command, decide("acceptForSession"), { policy: { grantCommand } });
    expect(bench.answer).toEqual(approved());
  });
});

describe("an answer about files", () => {
  test.each([
    ["accept", [], null],
    ["acceptForSession", ["files granted"], "for the session"],
  ])("%s lets them be changed", async (decision, granted, reason) => {
    const bench = await answered(patch, decide(decision));
    expect(bench.answer).toEqual({ kind: "approved" });
    expect(bench.done).toEqual(granted);
    expect(await bench.recorded()).toEqual([
      { subject: "fileChange", outcome: "approved", by: CLIENT, reason, atMs: undefined },
    ]);
  });

  test("that declines or cancels leaves them as they are", async () => {
    const declined = await answered(patch, decide("decline"));
    expect(declined.answer).toEqual({
      kind: "declined",
      reason: "patch rejected by user",
      cause: "answer",
    });
    const cancelled = await answered(patch, decide("cancel"));
    expect(cancelled.answer).toEqual({ kind: "cancelled" });
    expect([declined.turn.signal.aborted, cancelled.turn.signal.aborted]).toEqual([false, true]);
  });
});

describe("without a question", () => {
  const byRule = { kind: "rule", prefix: ["make"], file: "/home/rules/own.rules" } as const;

  test("the policy, a rule or an earlier answer decides, and that is recorded", async () => {
    const run = { kind: "run", sandboxed: true } as const;
    for (const basis of [POLICY_BASIS, byRule, { kind: "sessionGrant" } as const]) {
      const bench = open({ policy: { command: async () => ({ ...run, basis }) } });
      const retry = basis.kind === "sessionGrant" ? "approved" : "unapproved";
      expect(await bench.request(command)).toEqual(approved({ retry }));
      expect(await bench.recorded()).toEqual([
        { subject: "command", outcome: "approved", by: basis, reason: null, atMs: undefined },
      ]);
      expect([bench.told, bench.asked]).toEqual([[], []]);
    }
  });

  test("a command that the policy forbids is declined for its reason", async () => {
    const verdict = { kind: "forbid", cause: "policy", reason: "not that one", basis: byRule } as const;
    const bench = open({ policy: { command: async () => verdict } });
    expect(await bench.request(command)).toEqual({
      kind: "declined",
      reason: "not that one",
      cause: "policy",
    });
    expect(await bench.recorded()).toEqual([
      { subject: "command", outcome: "denied", by: byRule, reason: "not that one", atMs: undefined },
    ]);
  });

  test("files that the policy forbids to change show only among the decisions", async () => {
    const bench = open({ policy: { fileChange: () => ({ kind: "forbid", reason: "out of bounds" }) } });
    expect(await bench.request(patch)).toEqual({
      kind: "declined",
      reason: "out of bounds",
      cause: "policy",
    });
    expect(bench.told).toEqual([]);
    expect(await bench.recorded()).toMatchObject([
      { outcome: "denied", by: POLICY_BASIS, reason: "out of bounds" },
    ]);
  });

  test("permission to try again is given only where the sandbox holds and the policy lets users decide", async () => {
    const run = { kind: "run", basis: POLICY_BASIS } as const;
    const free = open({ policy: { command: async () => ({ ...run, sandboxed: false }) } });
    expect(await free.request(command)).toEqual(approved({ sandboxed: false, retry: null }));
    const strict = open({
      policy: { allowsRetries: false, command: async () => ({ ...run, sandboxed: true }) },
    });
    expect(await strict.request(command)).toEqual(approved({ retry: null }));
  });
});

describe("a request is denied, visibly and on record,", () => {
  const failure = (reason: string) => [
    { subject: "command", outcome: "denied", by: { kind: "failure" }, reason, atMs: undefined },
  ];
  const FAILED_ITEM = ["begin inProgress", "serverRequest/resolved", "complete failed"];

  test("when a client answers with an error or with nonsense, or the server ends", async () => {
    const bench = await answered(command, { kind: "unanswered", reason: "the client said no" });
    expect(bench.answer).toEqual(FAILED);
    expect(bench.told).toEqual(FAILED_ITEM);
    expect(await bench.recorded()).toEqual(failure("the client said no"));
    const files = await answered(patch, { kind: "unanswered", reason: "the client said no" });
    expect(files.answer).toEqual(FAILED);
  });

  test("when nobody answers in time", async () => {
    const bench = open();
    const decision = bench.request(command);
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
    const decision = bench.request(command);
    await until(() => bench.asked.length > 0);
    bench.turn.abort();
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

  test("when the policy throws", async () => {
    const bench = open({ policy: { command: () => Promise.reject(new Error("the rules are gone")) } });
    expect(await bench.request(command)).toEqual(FAILED);
    expect(bench.told).toEqual(["begin inProgress", "complete failed"]);
    expect(await bench.recorded()).toEqual(failure("the rules are gone"));
    const files = open({
      policy: {
        fileChange() {
          throw new Error("no bounds");
        },
      },
    });
    expect(await files.request(patch)).toEqual(FAILED);
  });

  test("when another server has closed the question", async () => {
    const bench = await answered(command, decide("accept"), { decisions: { close: async () => null } });
    expect(bench.answer).toEqual(FAILED);
    expect(bench.told.at(-1)).toBe("complete failed");
    const files = await answered(patch, decide("accept"), { decisions: { close: async () => null } });
    expect(files.answer).toEqual(FAILED);
  });

  test("when an answer through another server came first and was a no", async () => {
    const verdict = { atMs: 1, outcome: "denied", by: { kind: "client", name: null }, reason: null } as const;
    const close = async () => ({ kind: "closed", verdict }) as const;
    const bench = await answered(command, decide("accept"), { decisions: { close } });
    expect(bench.answer).toEqual(FAILED);
  });

  test("when the decision cannot be recorded, and clients and the model hear why", async () => {
    const broken = () => Promise.reject(new Error("the disk is full"));
    const reason = "approval request failed: the decision could not be recorded: the disk is full";
    const unrecorded = { ...FAILED, reason };
    const unasked = open({ decisions: { open: broken, record: broken } });
    expect(await unasked.request(command)).toEqual(unrecorded);
    expect([unasked.asked, unasked.told.at(-1)]).toEqual([[], "warning"]);
    const run = { kind: "run", sandboxed: true, basis: POLICY_BASIS } as const;
    const allowed = open({ decisions: { record: broken }, policy: { command: async () => run } });
    expect(await allowed.request(command)).toEqual(unrecorded);
    for (const request of [command, patch]) {
      for (const word of ["accept", "acceptForSession"]) {
        const asked = await answered(request, decide(word), { decisions: { close: broken } });
        expect(asked.answer).toEqual(unrecorded);
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
    ["files", patch, ["begin inProgress", "recorded", "serverRequest/resolved"]],
    ["a call of an MCP tool", mcpCall, ["recorded", "serverRequest/resolved"]],
    ["more than the sandbox allows", more, ["recorded", "serverRequest/resolved"]],
  ])("before anybody hears of it: %s", async (_name, subject, told) => {
    const bench = open();
    const answer = bench.request(subject);
    await until(() => bench.asked.length > 0);
    bench.onRecorded(() => bench.told.push("recorded"));
    const no = { decision: "decline", action: "decline", permissions: {} };
    bench.asked[0]?.resolve({ kind: "answered", result: no } as never);
    expect((await answer).kind).toBe("declined");
    expect(bench.told).toEqual(told);
  });
});

describe("hooks", () => {
  const HOOK = { kind: "hook" };
  const run = { command: async () => ({ kind: "run", basis: POLICY_BASIS, sandboxed: true }) as const };

  test.each([
    ["a command", command, approved({ sandboxed: true, retry: "approved" })],
    ["files", patch, { kind: "approved" }],
    ["a tool of an MCP server", mcpCall, { kind: "approved" }],
    ["more permissions", more, { kind: "approved", granted: more.requested, scope: "turn" }],
  ] as const)("may allow %s in place of the clients", async (_name, subject, answer) => {
    const bench = open({ hookAnswer: { behavior: "allow" } });
    expect(await bench.request(subject)).toEqual(answer);
    expect(bench.asked).toEqual([]);
    expect(await bench.recorded()).toMatchObject([{ outcome: "approved", by: HOOK }]);
  });

  test("may deny, and the model hears why", async () => {
    const bench = open({ hookAnswer: { behavior: "deny", message: "not here" } });
    expect(await bench.request(command)).toEqual({ kind: "declined", reason: "not here", cause: "answer" });
    expect(await bench.recorded()).toMatchObject([{ outcome: "denied", by: HOOK, reason: "not here" }]);
  });

  test("that allow a call beforehand leave nobody to ask, but do not lift what is forbidden", async () => {
    const preset = { behavior: "allow", reason: null } as const;
    const bench = open({ preset, hookAnswer: { behavior: "deny", message: "too late" } });
    expect(await bench.request(command)).toMatchObject({ kind: "approved" });
    const forbidden = {
      command: async () => ({ kind: "forbid", basis: POLICY_BASIS, reason: "no", cause: "policy" }) as const,
    };
    expect(await open({ preset, policy: forbidden }).request(command)).toMatchObject({ kind: "declined" });
  });

  test("that want somebody to be asked are heeded also where nobody would be, and where hooks would answer", async () => {
    const preset = { behavior: "ask", reason: "look at this" } as const;
    for (const hookAnswer of [{ behavior: "deny", message: "not asked" }, { behavior: "allow" }] as const) {
      const { answer, questions } = await answered(command, decide("accept"), {
        preset,
        policy: run,
        hookAnswer,
      });
      expect(answer).toMatchObject({ kind: "approved", sandboxed: true });
      expect(questions).toMatchObject([{ reason: "look at this" }]);
    }
  });

  test("that want somebody to be asked where nobody may be asked get a denial", async () => {
    const preset = { behavior: "ask", reason: null } as const;
    const bench = open({ preset, policy: { ...run, mayAsk: false } });
    expect(await bench.request(command)).toMatchObject({ kind: "declined", cause: "policy" });
    expect(await bench.recorded()).toMatchObject([{ outcome: "denied", by: HOOK }]);
  });
});
