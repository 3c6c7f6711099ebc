import { expect, test } from "vitest";
import { createReadState } from "./read-state.ts";

function create() {
  let count = 0;
  return createReadState(() => `r${count++}`);
}

const unread = (turnId: string) => ({ type: "turn" as const, turnId });

test("a new thread has nothing unread", () => {
  expect(create().current).toEqual({ firstUnread: null, revision: "r0" });
});

test("the first answer that was not seen stays the first", () => {
  const state = create();
  expect(state.answered("a")).toEqual({ firstUnread: unread("a"), revision: "r1" });
  expect(state.answered("b")).toEqual({ firstUnread: unread("a"), revision: "r2" });
  expect(state.current).toEqual({ firstUnread: unread("a"), revision: "r2" });
});

test("a user who has read everything begins anew with the next answer", () => {
  const state = create();
  state.answered("a");
  expect(state.update("read", "r1")).toEqual({ firstUnread: null, revision: "r2" });
  expect(state.answered("b")).toEqual({ firstUnread: unread("b"), revision: "r3" });
});

test("a reminder is about the last turn", () => {
  const state = create();
  state.answered("a");
  state.answered("b");
  state.update("read", "r2");
  expect(state.update("unread", "r3")).toEqual({ firstUnread: unread("b"), revision: "r4" });
});

test("a reminder in a thread without an answer is about nothing", () => {
  expect(create().update("unread", "r0")).toEqual({ firstUnread: null, revision: "r1" });
});

test("an update of what has changed since is refused and changes nothing", () => {
  const state = create();
  state.answered("a");
  expect(state.update("read", "r0")).toBeNull();
  expect(state.current).toEqual({ firstUnread: unread("a"), revision: "r1" });
});
