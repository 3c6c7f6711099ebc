import { expect, test } from "vitest";
import type { ThreadStatus } from "../../protocol/generated/types.ts";
import { createReadState, createStatusPublisher, deriveStatus } from "./thread-status.ts";

const rest = { turnRunning: false, pendingApprovals: 0, pendingQuestions: 0, failed: false };

test("the status follows from the facts", () => {
  expect(deriveStatus(rest)).toEqual({ type: "idle" });
  expect(deriveStatus({ ...rest, failed: true })).toEqual({ type: "systemError" });
  expect(deriveStatus({ ...rest, turnRunning: true, failed: true })).toEqual({ type: "systemError" });
  expect(deriveStatus({ ...rest, turnRunning: true, pendingApprovals: 2, pendingQuestions: 1 })).toEqual({
    type: "active",
    activeFlags: ["waitingOnApproval", "waitingOnUserInput"],
  });
});

test("a thread that waits for an answer is active, whether or not a turn runs or has failed", () => {
  const waiting = { type: "active", activeFlags: ["waitingOnApproval"] };
  expect(deriveStatus({ ...rest, pendingApprovals: 1 })).toEqual(waiting);
  expect(deriveStatus({ ...rest, pendingApprovals: 1, failed: true })).toEqual(waiting);
});

test("a status is told once, when it has changed", () => {
  let facts = rest;
  const told: ThreadStatus[] = [];
  const publish = createStatusPublisher(
    () => deriveStatus(facts),
    (status) => told.push(status),
  );
  publish();
  facts = { ...rest, turnRunning: true };
  publish();
  publish();
  facts = rest;
  publish();
  expect(told).toEqual([{ type: "active", activeFlags: [] }, { type: "idle" }]);
});

function create() {
  let count = 0;
  return createReadState(() => `r${count++}`);
}

const unread = (turnId: string) => ({ type: "turn" as const, turnId });

test("of a new thread nothing is known", () => {
  expect(create().current()).toBeNull();
});

test("the first answer that was not seen stays the first", () => {
  const state = create();
  expect(state.markUnread("a")).toEqual({ firstUnread: unread("a"), revision: "r0" });
  expect(state.markUnread("b")).toEqual({ firstUnread: unread("a"), revision: "r1" });
  expect(state.current()).toEqual({ firstUnread: unread("a"), revision: "r1" });
});

test("a user who has read everything begins anew with the next answer", () => {
  const state = create();
  state.markUnread("a");
  state.set({ firstUnread: null, revision: "read" });
  expect(state.markUnread("b")).toEqual({ firstUnread: unread("b"), revision: "r1" });
});

test("a thread that was marked as unread stays so from where it was marked", () => {
  const state = create();
  state.set({ firstUnread: { type: "threadStart" }, revision: "marked" });
  expect(state.markUnread("a")).toEqual({ firstUnread: { type: "threadStart" }, revision: "r0" });
});
