import fc from "fast-check";
import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import {
  createQueueStates,
  mayHaveRows,
  nextQueueState,
  type QueueEvent,
  type QueueState,
} from "./queue-state.ts";

const ack = async () => {};
const events: fc.Arbitrary<QueueEvent> = fc.oneof(
  fc.constant({ type: "loaded" as const }),
  fc.constant({ type: "changed" as const }),
  fc.boolean().map((hasRows) => ({ type: "recovered" as const, hasRows })),
  fc.constant({ type: "emptied" as const }),
  fc.nat(1000).map((untilMs) => ({ type: "deferred" as const, untilMs })),
  fc.constant({ type: "ackFailed" as const, ack }),
  fc.constant({ type: "acked" as const }),
);

const IDLE: QueueState = { kind: "idle" };

test("a row that was added is not forgotten before the store says that there is none", () => {
  fc.assert(
    fc.property(fc.array(events), (happened) => {
      let state = nextQueueState(IDLE, { type: "changed" });
      for (const event of happened) {
        if (event.type === "emptied") return;
        state = nextQueueState(state, event);
        expect(mayHaveRows(state)).toBe(true);
      }
    }),
  );
});

test("a failure that the store could not record is recorded before anything else of the queue", () => {
  const unacked: QueueState = { kind: "unacked", ack };
  expect(nextQueueState(unacked, { type: "changed" })).toBe(unacked);
  expect(nextQueueState(unacked, { type: "acked" })).toEqual({ kind: "ready" });
});

test("a thread that is loaded again is recovered again", () => {
  fc.assert(
    fc.property(fc.array(events), (happened) => {
      const state = [...happened, { type: "loaded" } as const].reduce<QueueState>(nextQueueState, IDLE);
      expect(state.kind).toBe("unrecovered");
      expect(nextQueueState(state, { type: "changed" }).kind).toBe("unrecovered");
    }),
  );
});

test("there is one alarm for a queue that waits, and none for others", () => {
  fc.assert(
    fc.property(fc.array(events), (happened) => {
      const clock = createFakeClock();
      const states = createQueueStates(clock, () => {});
      for (const event of happened) {
        states.apply("thread", event);
        expect(clock.waiting).toHaveLength(states.of("thread").kind === "waiting" ? 1 : 0);
      }
      states.forget("thread");
      expect([clock.waiting, states.of("thread")]).toEqual([[], IDLE]);
    }),
  );
});
