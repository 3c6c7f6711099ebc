import { describe, expect, test } from "vitest";
import type { ThreadGoal } from "../../protocol/generated/types.ts";
import {
  changeGoal,
  type GoalBounds,
  type GoalChange,
  MAX_OBJECTIVE_CHARACTERS,
  readGoal,
} from "./goal-change.ts";

const UNBOUNDED: GoalBounds = { maxTokenBudget: null };
const change = (current: ThreadGoal | null, given: Omit<GoalChange, "threadId">, bounds = UNBOUNDED) =>
  changeGoal(current, { threadId: "t", ...given }, 50, bounds);

const goal: ThreadGoal = {
  threadId: "t",
  objective: "Ship it",
  status: "paused",
  tokenBudget: 100,
  tokensUsed: 100,
  timeUsedSeconds: 7,
  createdAt: 1,
  updatedAt: 2,
};
const wrong = (message: string) => ({ kind: "wrong", message });

describe("a new goal", () => {
  test("is active, and has its objective without blanks around it", () => {
    expect(change(null, { objective: "  Ship it " })).toEqual({
      kind: "goal",
      goal: {
        ...goal,
        status: "active",
        tokenBudget: null,
        tokensUsed: 0,
        timeUsedSeconds: 0,
        createdAt: 50,
        updatedAt: 50,
      },
    });
  });

  test("needs an objective that is neither empty nor too long", () => {
    const long = "x".repeat(MAX_OBJECTIVE_CHARACTERS);
    expect(change(null, { objective: long }).kind).toBe("goal");
    expect([
      change(null, { status: "paused" }),
      change(null, { objective: " " }),
      change(null, { objective: `${long}x` }),
    ]).toEqual([
      wrong("cannot update goal for thread t: no goal exists"),
      wrong("goal objective must not be empty"),
      wrong("goal objective must be at most 4000 characters"),
    ]);
  });

  test("has a positive budget within the configured bound, which it gets when it asks for none", () => {
    const bounds = { maxTokenBudget: 10 };
    expect(change(null, { objective: "x" }, bounds)).toMatchObject({ goal: { tokenBudget: 10 } });
    expect([
      change(null, { objective: "x", tokenBudget: 0 }),
      change(null, { objective: "x", tokenBudget: 11 }, bounds),
    ]).toEqual([
      wrong("goal budgets must be positive when provided"),
      wrong("goal token budget 11 exceeds the maximum allowed goal token budget of 10"),
    ]);
  });
});

describe("a goal that there is", () => {
  test("keeps what is not mentioned", () => {
    expect(change(goal, { objective: "Better" })).toEqual({
      kind: "goal",
      goal: { ...goal, objective: "Better", updatedAt: 50 },
    });
  });

  test("loses its budget when none is asked for", () => {
    expect(change(goal, { tokenBudget: null })).toMatchObject({ goal: { tokenBudget: null } });
  });

  test("does not become active once its budget is used up", () => {
    expect(change(goal, { status: "active" })).toMatchObject({ goal: { status: "budgetLimited" } });
    expect(change(goal, { status: "active", tokenBudget: 200 })).toMatchObject({
      goal: { status: "active" },
    });
  });

  test("stays limited when it is only put aside", () => {
    const limited = { ...goal, status: "budgetLimited" as const };
    expect(change(limited, { status: "paused" })).toMatchObject({ goal: { status: "budgetLimited" } });
    expect(change(limited, { status: "complete" })).toMatchObject({ goal: { status: "complete" } });
  });
});

test("a goal is read as it was kept, and what is no goal is none", () => {
  expect(readGoal("t", { ...goal })).toEqual(goal);
  expect([readGoal("t", null), readGoal("t", { status: "active" })]).toEqual([null, null]);
  expect(readGoal("t", { objective: "Old", status: "strange" })).toMatchObject({
    objective: "Old",
    status: "active",
    tokenBudget: null,
  });
});
