/** Requests for permission whose question an earlier process has asked. */
import { describe, expect, test } from "vitest";
import type { CommandDecision } from "../../policy/decide-command.ts";
import type { OpenQuestion } from "../../store/decisions.ts";
import type { CommandSubject, KeptCall, Retry } from "../../tools/permission.ts";
import { SUSPENDED } from "../../tools/tool.ts";
import { CHANGED_SINCE } from "./asked-before.ts";
import { command, decide, type Given, openPermissions, until, type World } from "./permissions.fixture.ts";
import { createPermissions } from "./permissions.ts";

const FORBIDDEN: CommandDecision = {
  kind: "forbid",
  cause: "policy",
  reason: "not any more",
  basis: { kind: "policy" },
};

interface Earlier {
  readonly world?: World;
  /** An answer that was recorded after the earlier process had ended. */
  readonly answer?: object;
  readonly afterDenial?: Retry;
}

/** Asks the question in one process, and requests the same permission in the next one. */
async function continued({ world = {}, answer, afterDenial }: Earlier = {}) {
  const bench = openPermissions(world);
  const { decisions } = bench.options;
  const request = {
    threadId: "thread",
    turnId: "turn",
    itemId: "call",
    subject: { kind: "command", argv: ["make"], cwd: "/project" },
  } as const;
  const params = {
    kind: "command",
    threadId: "thread",
    turnId: "turn",
    itemId: "call",
    startedAtMs: -5000,
    environmentId: "local",
    reason: "asked before",
    command: "make",
    cwd: "/project",
    commandActions: [{ type: "unknown", command: "make" }],
    availableDecisions: ["accept"],
  };
  const method = "item/commandExecution/requestApproval";
  const question = { method, params, subject: request.subject };
  const entry = await decisions.open(request, question);
  const by = { kind: "client", name: "phone" } as const;
  if (answer !== undefined)
    await decisions.answer(entry, { outcome: "approved", by, reason: null }, answer as never);
  const found = await decisions.findAnswer(entry);
  let open: OpenQuestion | null = { ...entry, question, answer: found };
  const proceeded: string[] = [];
  const call: KeptCall = {
    afterDenial: afterDenial ?? null,
    takeQuestion() {
      const taken = open;
      open = null;
      return taken;
    },
    wait: async () => true,
    proceed: () => void proceeded.push("proceeds"),
  };
  const abort = new AbortController();
  const permissions = createPermissions({ ...bench.options, signal: abort.signal, call });
  return { ...bench, abort, params, proceeded, request: (subject = command) => permissions.request(subject) };
}

describe("a question of an earlier process", () => {
  test("is asked again with the same params, and its approval is recorded before the call proceeds", async () => {
    const bench = await continued();
    const answer = bench.request();
    await until(() => bench.asked.length === 1);
    expect(bench.questions).toEqual([bench.params]);
    bench.asked[0]?.resolve(decide("accept") as Given);
    expect(await answer).toMatchObject({ kind: "approved" });
    expect(bench.proceeded).toEqual(["proceeds"]);
    expect(await bench.recorded()).toMatchObject([{ subject: "command", outcome: "approved" }]);
  });

  test("is not asked where its answer is recorded, which may extend to later commands", async () => {
    const bench = await continued({ answer: { decision: "acceptForSession" } });
    expect(await bench.request()).toMatchObject({ kind: "approved" });
    expect([bench.asked, bench.done]).toEqual([[], ["granted"]]);
    expect(await bench.recorded()).toMatchObject([{ outcome: "approved", by: { name: "phone" } }]);
  });

  test.each<[string, Partial<CommandSubject>]>([
    ["another command", { argv: ["make", "install"] }],
    ["another folder", { cwd: "/elsewhere" }],
  ])("approves nothing but what was asked about: %s is denied", async (_what, change) => {
    const bench = await continued({ answer: { decision: "accept" } });
    expect(await bench.request({ ...command, ...change })).toMatchObject({ reason: CHANGED_SINCE });
    expect([bench.asked, bench.proceeded]).toEqual([[], []]);
  });

  test("is closed where a rule forbids the call now, although an approval is recorded", async () => {
    const world = { policy: { command: async () => FORBIDDEN } };
    const bench = await continued({ world, answer: { decision: "accept" } });
    expect(await bench.request()).toMatchObject({ kind: "declined", reason: "not any more" });
    expect([bench.asked, bench.proceeded]).toEqual([[], []]);
    expect(await bench.recorded()).toMatchObject([{ outcome: "denied", by: { kind: "policy" } }]);
  });

  test("approves nothing that a rule forbids by the time of the answer", async () => {
    let decision: CommandDecision | null = null;
    const { options } = openPermissions();
    const world = { policy: { command: async () => decision ?? options.policy.command(command) } };
    const bench = await continued({ world });
    const answer = bench.request();
    await until(() => bench.asked.length === 1);
    decision = FORBIDDEN;
    bench.asked[0]?.resolve(decide("accept") as Given);
    expect(await answer).toMatchObject({ kind: "declined", reason: "not any more" });
    expect(await bench.recorded()).toMatchObject([{ outcome: "denied", by: { kind: "policy" } }]);
  });

  test("about a command that its sandbox has stopped is ruled on as such", async () => {
    const ruled: (Retry | null)[] = [];
    const { options } = openPermissions();
    const world: World = {
      policy: {
        command(subject) {
          ruled.push(subject.afterDenial);
          return options.policy.command(subject);
        },
      },
    };
    const bench = await continued({ world, answer: { decision: "accept" }, afterDenial: "unapproved" });
    await bench.request();
    expect(new Set(ruled)).toEqual(new Set(["unapproved"]));
  });

  test("counts its time from when it was asked first", async () => {
    const bench = await continued();
    bench.clock.advance(1);
    const answer = bench.request();
    await until(() => bench.asked.length === 1);
    // The record has the time of the system, which is far ahead of the clock of the test.
    expect(Math.max(...bench.clock.waiting)).toBeGreaterThan(60_000);
    bench.asked[0]?.resolve(decide("decline") as Given);
    expect(await answer).toMatchObject({ kind: "declined" });
  });

  test("stays open where the turn is left to a later process", async () => {
    const bench = await continued();
    const answer = bench.request();
    await until(() => bench.asked.length === 1);
    bench.abort.abort(SUSPENDED);
    expect(await answer).toEqual({ kind: "cancelled" });
    expect(await bench.recorded()).toMatchObject([{ subject: "command" }]);
    expect((await bench.recorded())[0]).not.toHaveProperty("outcome");
    expect(bench.proceeded).toEqual([]);
  });
});
