import { describe, expect, test } from "vitest";
import { failedWith } from "../../engine/state/turn-state.ts";
import { agentItem } from "../../store/lines/lines.fixture.ts";
import type { QueueRow } from "../../store/queue.ts";
import { describeQuestion, describeQueue, describeTurnEnd, describeWait } from "./describe-event.ts";

const TURN = { id: "t1", kind: "user" } as const;

test("the end of a turn has one id, its status and the last message", () => {
  const lastMessage = agentItem("i", "done");
  expect(describeTurnEnd("thread", TURN, { kind: "completed", lastMessage })).toEqual({
    type: "turn.ended",
    eventId: "evt_t1_end",
    threadId: "thread",
    reason: null,
    text: "done",
    facts: { turnId: "t1", kind: "user", status: "completed" },
  });
  expect(describeTurnEnd("thread", TURN, { kind: "interrupted" })).toMatchObject({
    type: "turn.ended",
    text: null,
    facts: { status: "interrupted" },
  });
  expect(describeTurnEnd("thread", TURN, failedWith("no answer"))).toMatchObject({
    type: "turn.failed",
    eventId: "evt_t1_end",
    reason: "no answer",
  });
});

describe("a question", () => {
  const about = (method: string, params: unknown) =>
    describeQuestion("thread", { method, params, eventId: "evt_1" });

  test("is described by its command, message or first question", () => {
    const command = { turnId: "t1", itemId: "i", command: "rm -r build", reason: "to tidy up" };
    expect(about("item/commandExecution/requestApproval", command)).toEqual({
      type: "question.opened",
      eventId: "evt_1",
      threadId: "thread",
      reason: "to tidy up",
      text: "rm -r build",
      facts: { turnId: "t1", itemId: "i", question: "item/commandExecution/requestApproval" },
    });
    const questions = [{ question: "Which one?" }, { question: "Why?" }];
    expect(about("item/tool/requestUserInput", { questions })).toMatchObject({ text: "Which one?" });
    expect(about("mcpServer/elicitation/request", { message: "Log in" })).toMatchObject({ text: "Log in" });
    expect(about("item/fileChange/requestApproval", {})).toMatchObject({
      text: null,
      facts: { turnId: null },
    });
  });

  test("that a program answers is no event", () => {
    expect(about("item/tool/call", {})).toBeNull();
    expect(about("unknown", {})).toBeNull();
    expect(about("item/tool/requestUserInput", null)).toBeNull();
  });
});

test("a queue is blocked by a failed first turn and by a pause, and by nothing else", () => {
  const row = (state: QueueRow["state"]): QueueRow => ({
    threadId: "thread",
    rowId: "r1",
    clientUserMessageId: null,
    params: {},
    notBeforeMs: null,
    state,
    turnId: null,
    failure: state === "failed" ? { message: "no such model" } : null,
    createdAtMs: 1,
    updatedAtMs: 2,
  });
  const about = (rows: readonly QueueRow[], pause: string | null) =>
    describeQueue("thread", { rows, total: rows.length, pause });
  expect(about([row("failed"), row("pending")], null)).toMatchObject({
    eventId: "evt_queue_r1_2",
    reason: "no such model",
    facts: { blockedBy: "failedTurn", queuedTurnId: "r1" },
  });
  expect(about([row("pending")], "the turn before failed")).toMatchObject({
    eventId: "evt_queue_r1_pause",
    reason: "the turn before failed",
    facts: { blockedBy: "pause" },
  });
  expect(about([row("pending")], null)).toBeNull();
  expect(about([], "paused")).toBeNull();
});

test("a wait has one id, whichever process announces it, and a question is no wait of this kind", () => {
  const wait = { turnId: "t1", since: 1, until: 1_800_000_000 };
  expect(
    describeWait("thread", { ...wait, reason: "usageLimit", attempt: 2, message: "used up" }),
  ).toMatchObject({
    type: "thread.suspended",
    eventId: "evt_t1_wait_2",
    reason: "used up",
    facts: { turnId: "t1", until: "2027-01-15T08:00:00.000Z" },
  });
  expect(describeWait("thread", { ...wait, reason: "question", decisionId: "d" })).toBeNull();
});
