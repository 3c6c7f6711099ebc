import { expect, test } from "vitest";
import type { ThreadStatus } from "../../protocol/generated/types.ts";
import { createStatusPublisher, deriveStatus } from "./thread-status.ts";

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
