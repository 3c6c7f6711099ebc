import { expect, test } from "vitest";
import type { QueueHold } from "../../protocol/generated/types.ts";
import { queueRow } from "../../store/queue-row.fixture.ts";
import { type FirstRow, holdReason, type ThreadState } from "./queue-hold.ts";

const NOW = 5000;
const plain: FirstRow = { row: queueRow("a"), pause: null };
const later: FirstRow = { row: queueRow("a", { notBeforeMs: 7999 }), pause: null };
const failed: FirstRow = { row: queueRow("a", { state: "failed" }), pause: null };
const paused: FirstRow = { row: queueRow("a", { state: "failed" }), pause: "lunch" };
const idle: ThreadState = { kind: "loaded", turnId: null, isAsking: false };
const busy: ThreadState = { kind: "loaded", turnId: "t", isAsking: false };
const asking: ThreadState = { kind: "loaded", turnId: "t", isAsking: true };
const LIMITED = { reason: "usageLimit", turnId: "t", attempt: 1, message: "m", since: 5, until: 9 } as const;
const elsewhere: ThreadState = { kind: "elsewhere" };
const attended: ThreadState = { kind: "attended" };
const unattended: ThreadState = { kind: "unattended" };

test.each<[string, FirstRow, ThreadState, QueueHold | null]>([
  ["nothing waits", { row: undefined, pause: "lunch" }, asking, null],
  ["it is about to start", plain, idle, null],
  ["some server will load it", plain, attended, null],
  ["its time has come", { ...plain, row: queueRow("a", { notBeforeMs: NOW }) }, idle, null],
  ["somebody has to answer", paused, asking, { type: "question", turnId: "t" }],
  [
    "a turn waits for the end of a usage limit",
    paused,
    { kind: "limited", waiting: LIMITED },
    { type: "usageLimit", turnId: "t", until: 9 },
  ],
  [
    "a loaded turn waits for the end of a usage limit",
    plain,
    { kind: "loaded", turnId: "t", isAsking: false, waiting: LIMITED },
    { type: "usageLimit", turnId: "t", until: 9 },
  ],
  ["it is paused", paused, busy, { type: "paused", reason: "lunch" }],
  ["the first could not be started", failed, busy, { type: "failed", queuedTurnId: "a" }],
  ["its time is to come", later, busy, { type: "notBefore", notBefore: 7 }],
  ["its time is to come, without a server", later, unattended, { type: "notBefore", notBefore: 7 }],
  ["a turn runs", plain, busy, { type: "turn", turnId: "t" }],
  ["another process has the thread", plain, elsewhere, { type: "elsewhere" }],
  ["no server will start it", plain, unattended, { type: "noServer" }],
])("a queue where %s", (_, first, thread, expected) => {
  expect(holdReason(first, thread, NOW)).toEqual(expected);
});
