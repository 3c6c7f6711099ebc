import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance, type TurnEvent, type TurnState, toTurn } from "./turn-state.ts";

const error = { message: "no", codexErrorInfo: null, additionalDetails: null, misalignment: null };
const event: fc.Arbitrary<TurnEvent> = fc.oneof(
  fc.record({
    type: fc.constantFrom("begin" as const, "complete" as const, "interrupt" as const),
    atMs: fc.nat(),
  }),
  fc.record({ type: fc.constant("fail" as const), atMs: fc.nat(), error: fc.constant(error) }),
);

describe("a turn", () => {
  test("under any events begins at most once, ends at most once and never comes back", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        let state: TurnState = { phase: "accepted" };
        const taken: string[] = [];
        for (const each of events) {
          try {
            state = advance(state, each);
            taken.push(each.type);
          } catch (refusal) {
            expect((refusal as Error).message).toBe(`a turn that is ${state.phase} cannot ${each.type}`);
          }
        }
        expect(taken.join(" ")).toMatch(/^(|begin|begin (complete|fail|interrupt))$/);
      }),
    );
  });

  test("shows times in seconds and its length in milliseconds", () => {
    const state: TurnState = { phase: "failed", startedAtMs: 1500, endedAtMs: 4200, error };
    expect(toTurn("t", state, [])).toEqual({
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
});
