import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { createDeferred } from "../../base/tasks.ts";
import { type Clients, createQuestions } from "./questions.ts";

type Outcome =
  | { readonly kind: "answered"; readonly result: never }
  | { readonly kind: "unanswered"; readonly reason: string };

const approval = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  startedAtMs: 0,
  environmentId: null,
};
const APPROVAL = "item/fileChange/requestApproval";

/** Questions that the test answers; `log` collects the notifications and status changes. */
function open() {
  const log: string[] = [];
  const requests: ReturnType<typeof createDeferred<Outcome>>[] = [];
  const clients: Clients = {
    open(_threadId, method) {
      const id = requests.length;
      const deferred = createDeferred<Outcome>();
      requests.push(deferred);
      log.push(`asked ${method}`);
      return { id, answer: deferred.promise, withdraw: () => void log.push(`withdrawn ${id}`) };
    },
  };
  const clock = createFakeClock();
  /** Pending notifications that a question must wait for. */
  const behind: Promise<void>[] = [];
  const questions = createQuestions({
    threadId: "thread",
    clients,
    clock,
    timeoutMs: 60_000,
    whenFlushed: () => behind.shift() ?? null,
    emit: (method, params) => log.push(`${method} ${JSON.stringify(params)}`),
    onChange: () => log.push(`waits for ${questions.pendingApprovals()} and ${questions.pendingQuestions()}`),
  });
  const answer = (id: number, result: object) =>
    requests[id]?.resolve({ kind: "answered", result: result as never });
  return { questions, log, clock, requests, answer, behind };
}

const resolved = (requestId: number) =>
  `serverRequest/resolved ${JSON.stringify({ threadId: "thread", requestId })}`;

describe("a question", () => {
  test("that asks for permission raises its flag until it is answered, and then tells everyone", async () => {
    const { questions, log, answer } = open();
    const asked = questions.ask(APPROVAL, approval, new AbortController().signal);
    answer(0, { decision: "accept" });
    expect(await asked).toEqual({ kind: "answered", result: { decision: "accept" } });
    expect(log).toEqual([`waits for 1 and 0`, `asked ${APPROVAL}`, resolved(0), "waits for 0 and 0"]);
  });

  test("for input of the user raises another flag", async () => {
    const { questions, log, answer } = open();
    const params = {
      threadId: "thread",
      turnId: "turn",
      itemId: "item",
      questions: [],
      autoResolutionMs: null,
      isBlocking: false,
    };
    const asked = questions.ask("item/tool/requestUserInput", params, new AbortController().signal);
    answer(0, { answers: {} });
    await asked;
    expect(log[0]).toBe("waits for 0 and 1");
    expect(log.slice(2)).toEqual([resolved(0), "waits for 0 and 0"]);
  });

  test("that is none of the user's business raises no flag and is not told of", async () => {
    const { questions, log, answer } = open();
    const params = {
      threadId: "thread",
      turnId: "turn",
      callId: "c",
      namespace: null,
      tool: "t",
      arguments: {},
    };
    const asked = questions.ask("item/tool/call", params, new AbortController().signal);
    answer(0, { contentItems: [], success: true });
    expect(await asked).toEqual({ kind: "answered", result: { contentItems: [], success: true } });
    expect(log).toEqual(["asked item/tool/call"]);
  });

  test("that nobody can answer has a reason, and is over", async () => {
    const { questions, log, requests } = open();
    const asked = questions.ask(APPROVAL, approval, new AbortController().signal);
    requests[0]?.resolve({ kind: "unanswered", reason: "nobody is there" });
    expect(await asked).toEqual({ kind: "unanswered", reason: "nobody is there" });
    expect(log.slice(2)).toEqual(["withdrawn 0", resolved(0), "waits for 0 and 0"]);
  });

  test("that nobody answers in time is withdrawn, and is over", async () => {
    const { questions, log, clock } = open();
    const asked = questions.ask(APPROVAL, approval, new AbortController().signal);
    clock.advance(59_999);
    await Promise.resolve();
    expect(questions.pendingApprovals()).toBe(1);
    clock.advance(1);
    expect(await asked).toEqual({
      kind: "unanswered",
      reason: "nobody answered within 60 seconds",
      cause: "timeOut",
    });
    expect(log.slice(2)).toEqual(["withdrawn 0", resolved(0), "waits for 0 and 0"]);
  });

  test("leaves no timer behind", async () => {
    const { questions, clock, answer } = open();
    const turn = new AbortController();
    const asked = [
      questions.ask(APPROVAL, approval, turn.signal),
      questions.ask(APPROVAL, approval, turn.signal),
    ];
    answer(0, { decision: "accept" });
    await asked[0];
    turn.abort();
    await asked[1];
    expect(clock.waiting).toEqual([]);
  });

  test("can be settled later than it is answered, and the thread waits until then", async () => {
    const { questions, log, answer } = open();
    const { signal } = new AbortController();
    const asked = questions.open(APPROVAL, approval, signal, {
      onWaiting: () => void log.push("waiting"),
    });
    answer(0, { decision: "accept" });
    const { resolve } = await asked;
    expect(log).toEqual(["waits for 1 and 0", "waiting", `asked ${APPROVAL}`]);
    resolve(() => log.push(`resolved, ${questions.pendingApprovals()} open`));
    expect(log.slice(3)).toEqual([resolved(0), "resolved, 1 open", "waits for 0 and 0"]);
  });

  test("after the end of its turn is not asked", async () => {
    const { questions, log } = open();
    expect(await questions.ask(APPROVAL, approval, AbortSignal.abort())).toEqual({ kind: "abandoned" });
    expect(log).toEqual([]);
  });

  test("does not hide another one that is still open", async () => {
    const { questions, answer } = open();
    const { signal } = new AbortController();
    const first = questions.ask(APPROVAL, approval, signal);
    const second = questions.ask(APPROVAL, approval, signal);
    expect(questions.pendingApprovals()).toBe(2);
    answer(1, { decision: "decline" });
    await second;
    expect(questions.pendingApprovals()).toBe(1);
    answer(0, { decision: "accept" });
    await first;
    expect(questions.pendingApprovals()).toBe(0);
  });
});

describe("the end of a turn", () => {
  test("withdraws what is open, and tells of it only when it is asked to, once", async () => {
    const { questions, log } = open();
    const turn = new AbortController();
    const asked = [
      questions.ask(APPROVAL, approval, turn.signal),
      questions.ask(APPROVAL, approval, turn.signal),
    ];
    log.length = 0;
    turn.abort();
    expect(await Promise.all(asked)).toEqual([{ kind: "abandoned" }, { kind: "abandoned" }]);
    expect(log).toEqual(["withdrawn 0", "withdrawn 1"]);
    expect([questions.pendingApprovals(), questions.pendingQuestions()]).toEqual([0, 0]);
    log.length = 0;
    questions.resolveAbandoned();
    questions.resolveAbandoned();
    expect(log).toEqual([resolved(0), resolved(1)]);
  });

  test("leaves an answer that came before", async () => {
    const { questions, log, answer } = open();
    const turn = new AbortController();
    const asked = questions.ask(APPROVAL, approval, turn.signal);
    answer(0, { decision: "accept" });
    expect((await asked).kind).toBe("answered");
    log.length = 0;
    turn.abort();
    questions.resolveAbandoned();
    expect(log).toEqual([]);
  });
});

test("clients are asked when they know what was told before, and not after the end of the turn", async () => {
  const { questions, log, behind, answer } = open();
  const told = createDeferred<void>();
  behind.push(told.promise, told.promise);
  const ended = new AbortController();
  const params = {} as never;
  const first = questions.ask(APPROVAL, params, new AbortController().signal);
  const second = questions.ask(APPROVAL, params, ended.signal);
  ended.abort();
  expect(log.filter((line) => line.startsWith("asked"))).toEqual([]);
  told.resolve();
  expect(await second).toEqual({ kind: "abandoned" });
  expect([log.filter((line) => line.startsWith("asked")).length, questions.pendingApprovals()]).toEqual([
    1, 1,
  ]);
  answer(0, { decision: "accept" });
  await first;
});
