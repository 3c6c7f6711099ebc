/**
 * Three calls of one response ask for permission, while processes die, answers arrive and time passes at random points.
 * Whatever happens, a call runs at most once, only with an approval, and never without one.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFakeClock, type FakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { createTestJournal } from "../../engine/history/journal.fixture.ts";
import { ThreadCommits } from "../../engine/history/journal-commits.ts";
import { NO_TOOL_HOOKS } from "../../engine/hooks/tool-hooks.fixture.ts";
import { decisionLogOf } from "../../engine/permissions/decision-log.ts";
import { command, openPermissions } from "../../engine/permissions/permissions.fixture.ts";
import { createPermissions } from "../../engine/permissions/permissions.ts";
import { createQuestions, type Questions } from "../../engine/permissions/questions.ts";
import { CallBatch, type ContinuedCalls } from "../../engine/turn/call-batch.ts";
import { callsIn } from "../../engine/turn/call-items.ts";
import { runCalls } from "../../engine/turn/tool-calls.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { Decisions, NewVerdict } from "../../store/decisions.ts";
import type { LineBody } from "../../store/lines/line.ts";
import { emptyModelHistory, foldModelHistory } from "../../store/lines/model-history.ts";
import { createMemoryDecisions } from "../../store/memory/memory-decisions.ts";
import { toTool } from "../../tools/plain-tool.fixture.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { join } from "./recall-suspended.ts";

const TURN = {
  turnId: "turn",
  rootTurnId: null,
  parentTurnId: null,
  startedAtMs: 0,
  outputSchema: null,
  serviceTier: null,
};
const CALLS = ["one", "two", "three"];
const TIMEOUT_MS = 1000;
const ITEMS = CALLS.map(
  (id): ResponseItem => ({ type: "function_call", name: "work", call_id: id, arguments: "{}" }),
);

/** Everything that outlives a process. */
interface Durable {
  readonly lines: LineBody[];
  readonly decisions: Decisions;
  readonly clock: FakeClock;
  /** How often each call had its effect. */
  readonly effects: Map<string, number>;
}

interface Process {
  readonly questions: Questions;
  /** The outputs, once all calls have ended. */
  outputs: readonly ResponseItem[] | null;
  kill(): void;
}

function createDurable(): Durable {
  const clock = createFakeClock(1000);
  const decisions = createMemoryDecisions(
    { entries: new Map(), answers: new Map(), questions: new Map(), tenants: new Map(), last: 0 },
    { leases: { confirm: async (it) => it }, clock, tenant: "local" },
  );
  return { lines: [], decisions, clock, effects: new Map() };
}

/** Nothing that a dead process awaits ever arrives, and it writes nothing. */
function mortal<T extends object>(port: T, isDead: () => boolean): T {
  return new Proxy(port, {
    get: (target, key) => {
      const member = Reflect.get(target, key) as unknown;
      if (typeof member !== "function") return member;
      return (...given: unknown[]) =>
        isDead() ? new Promise(() => {}) : (Reflect.apply(member, target, given) as unknown);
    },
  });
}

async function recall({ lines, decisions }: Durable): Promise<ContinuedCalls | null> {
  const history = emptyModelHistory();
  for (const body of lines) foldModelHistory(history, { timestamp: "", ...body }, false);
  const open = await decisions.openQuestions({ threadId: "thread", limit: 100 });
  const decided = await decisions.list({ threadId: "thread", turnId: "turn", limit: 100 });
  return history.calls === null ? null : join(history.calls, open, decided);
}

function start(durable: Durable, continued: ContinuedCalls | null): Process {
  const { lines, clock, effects } = durable;
  let dead = false;
  const isDead = () => dead;
  const journal = createTestJournal({
    append: async (given) => {
      lines.push(...given);
      return { kind: "kept", firstSeq: 0 };
    },
  });
  const commits = new ThreadCommits(mortal(journal, isDead), { clock, onFault() {} });
  const decisions = mortal(durable.decisions, isDead);
  const fence = { threadId: "thread", ephemeral: true } as const;
  const clients = { open: () => ({ id: 0, answer: new Promise<never>(() => {}), withdraw() {} }) };
  const questions = createQuestions({
    threadId: "thread",
    clients,
    clock,
    timeoutMs: TIMEOUT_MS,
    emit() {},
    whenFlushed: () => null,
    onChange() {},
  });
  const bench = openPermissions();
  const permissions = createPermissions({
    ...bench.options,
    clock,
    questions,
    decisions: decisionLogOf(
      async () => decisions,
      () => fence,
    ),
  });
  const tool = toTool({
    name: "work",
    spec: {},
    parallel: true,
    async run({ callId }, context) {
      const item = { ...command.item, id: callId };
      const answer = await context.permissions.request({ ...command, item, argv: ["make", callId] });
      if (answer.kind !== "approved" || dead) return { output: answer.kind, success: false };
      effects.set(callId, (effects.get(callId) ?? 0) + 1);
      await Promise.resolve();
      return { output: "done", success: true };
    },
  });
  const batch = new CallBatch(CALLS, { turn: TURN, commits, onWaiting() {}, continued });
  const process: Process = {
    questions,
    outputs: null,
    kill() {
      dead = true;
    },
  };
  const context = {
    signal: new AbortController().signal,
    permissions,
  } as Partial<ToolContext> as ToolContext;
  const toolSet = { tools: [tool], hooks: NO_TOOL_HOOKS, log: silentLogger, clock, onEvent() {}, batch };
  void runCalls(callsIn(ITEMS), toolSet, context).then((outputs) => {
    if (!dead) process.outputs = outputs;
  });
  return process;
}

type Step =
  | { readonly kind: "kill" }
  | { readonly kind: "answer"; readonly call: number; readonly decision: "accept" | "decline" }
  | { readonly kind: "timeOut" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ kind: "kill" }),
  fc.record({
    kind: fc.constant("answer" as const),
    call: fc.nat(CALLS.length - 1),
    decision: fc.constantFrom("accept" as const, "decline" as const),
  }),
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "timeOut" }) },
);

/** The steps, each after a number of ticks, so that a process also dies between two writes. */
const steps = fc.array(fc.record({ step, ticks: fc.nat(60) }), { maxLength: 8 });

async function pass(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
}

/** Long enough for everything that waits for no answer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
}

/** Answers as a client of any process does; the verdict of the first answer. */
async function give({ decisions }: Durable, process: Process | null, call: string, decision: string) {
  const open = await decisions.openQuestions({ threadId: "thread", limit: 100 });
  const asked = open.find(({ itemId }) => itemId === call);
  if (asked === undefined) return;
  const outcome = decision === "accept" ? "approved" : "denied";
  const verdict: NewVerdict = { outcome, by: { kind: "client", name: "phone" }, reason: null };
  const recorded = await decisions.answer(asked, verdict, { decision });
  if (recorded.kind === "first")
    process?.questions.answer(asked.number, { kind: "answered", result: { decision }, from: "phone" });
}

const isOutputOf = (call: string) => (item: ResponseItem) =>
  item.type === "function_call_output" && item.call_id === call;

test("calls that wait run at most once, and exactly once after an approval that took effect", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const durable = createDurable();
      let process: Process | null = start(durable, null);
      let isOver = false;
      let kills = 0;
      const restart = async (): Promise<void> => {
        const continued = await recall(durable);
        // Without an open question the turn reads as interrupted.
        isOver = continued === null;
        process = continued === null ? null : start(durable, continued);
      };
      for (const { step: next, ticks } of plan) {
        await pass(ticks);
        if (isOver || process.outputs !== null) break;
        if (next.kind === "answer") await give(durable, process, CALLS[next.call] ?? "", next.decision);
        else if (next.kind === "timeOut") durable.clock.advance(TIMEOUT_MS);
        else {
          kills += 1;
          process.kill();
          await settle();
          await restart();
        }
        for (const count of durable.effects.values()) expect(count).toBe(1);
      }
      await settle();
      if (!isOver) for (const call of CALLS) await give(durable, process, call, "accept");
      await settle();
      const decided = await durable.decisions.list({ threadId: "thread", limit: 100 });
      for (const call of CALLS) {
        const verdict = decided.find(({ itemId }) => itemId === call)?.verdict ?? null;
        const ran = durable.effects.get(call) ?? 0;
        expect(ran).toBeLessThanOrEqual(verdict?.outcome === "approved" ? 1 : 0);
        if (process?.outputs == null) continue;
        const output = process.outputs.filter(isOutputOf(call));
        expect(output).toHaveLength(1);
        const text = JSON.stringify(output);
        // A process may die between the record of the approval and the effect: then the call is not run, and says so.
        if (verdict?.outcome === "approved" && ran === 0) {
          expect(kills).toBeGreaterThan(0);
          expect(text).toContain("interrupted by the end of the server");
        }
      }
      if (!isOver) expect(process.outputs).not.toBeNull();
    }),
    { numRuns: 300 },
  );
});
