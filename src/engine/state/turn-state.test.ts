import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { FROM_USER } from "./turn-origin.ts";
import {
  ACCEPTED,
  failedWith,
  nextTurnState,
  type TurnState,
  type TurnStateEvent,
  toTurnView,
} from "./turn-state.ts";

const { error } = failedWith("no");
const failure = { kind: "unavailable", reason: "noSpace", message: "the disk is full" } as const;
const hookRun = (id: string, status: HookRunSummary["status"]) =>
  ({ id, runId: id, status }) as HookRunSummary;

const event: fc.Arbitrary<TurnStateEvent> = fc.oneof(
  fc.record({ type: fc.constant("begin" as const), atMs: fc.nat() }),
  fc.constant({ type: "appendFailed" as const, failure }),
  fc.constant({ type: "showFailure" as const, error }),
  fc.constant({ type: "hookRun" as const, run: hookRun("a", "running") }),
  fc.record({
    type: fc.constant("end" as const),
    atMs: fc.nat(),
    outcome: fc.constantFrom(
      { kind: "completed" as const, lastMessage: null },
      { kind: "interrupted" as const },
      { kind: "failed" as const, error },
    ),
  }),
);

describe("a turn", () => {
  test("under any events begins at most once, ends at most once and never restarts", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        let state: TurnState = ACCEPTED;
        const taken: string[] = [];
        for (const each of events) {
          try {
            state = nextTurnState(state, each);
            taken.push(each.type);
          } catch (refusal) {
            expect((refusal as Error).message).toBe(
              `turn event ${each.type} is invalid in phase ${state.phase}`,
            );
          }
        }
        expect(taken.join(" ")).toMatch(
          /^((appendFailed|hookRun) ?)*(begin ?((appendFailed|hookRun|showFailure) ?)*(end)?)?$/u,
        );
      }),
    );
  });

  test("shows times in seconds and its length in milliseconds", () => {
    const running = nextTurnState(ACCEPTED, { type: "begin", atMs: 1500 });
    const state = nextTurnState(running, { type: "end", atMs: 4200, outcome: { kind: "failed", error } });
    expect(toTurnView({ id: "t", origin: FROM_USER }, state, [])).toEqual({
      id: "t",
      rootTurnId: "t",
      items: [],
      itemsView: "notLoaded",
      status: "failed",
      error,
      startedAt: 1,
      completedAt: 4,
      durationMs: 2700,
      hookRuns: [],
    });
  });

  test("shows each of its hooks once, as it was last", () => {
    const runs = [hookRun("a", "running"), hookRun("b", "running"), hookRun("a", "completed")];
    const state = runs.reduce<TurnState>(
      (before, run) => nextTurnState(before, { type: "hookRun", run }),
      ACCEPTED,
    );
    expect(toTurnView({ id: "t", origin: FROM_USER }, state, []).hookRuns).toEqual([
      hookRun("a", "completed"),
      hookRun("b", "running"),
    ]);
  });
});
