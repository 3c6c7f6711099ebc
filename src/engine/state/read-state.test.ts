import { expect, test } from "vitest";
import { createReadState } from "./read-state.ts";

function create() {
  let count = 0;
  return createReadState(() => `r${count++}`);
}

const unread = (turnId: string) => ({ type: "turn" as const, turnId });

test("of a new thread nothing is known", () => {
  expect(create().current).toBeNull();
});

test("the first answer that was not seen stays the first", () => {
  const state = create();
  expect(state.answered("a")).toEqual({ firstUnread: unread("a"), revision: "r0" });
  expect(state.answered("b")).toEqual({ firstUnread: unread("a"), revision: "r1" });
  expect(state.current).toEqual({ firstUnread: unread("a"), revision: "r1" });
});

test("a user who has read everything begins anew with the next answer", () => {
  const state = create();
  state.answered("a");
  state.become({ firstUnread: null, revision: "read" });
  expect(state.answered("b")).toEqual({ firstUnread: unread("b"), revision: "r1" });
});

test("a thread that was marked as unread stays so from where it was marked", () => {
  const state = create();
  state.become({ firstUnread: { type: "threadStart" }, revision: "marked" });
  expect(state.answered("a")).toEqual({ firstUnread: { type: "threadStart" }, revision: "r0" });
});
