import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { collectWhenIdle } from "./idle-collector.ts";

const MB = 1024 * 1024;

/** A heap whose size the test sets; a collection leaves 20 MB. */
function open() {
  const clock = createFakeClock();
  const state = { committed: 20 * MB, busy: 0, young: 0, collections: 0 };
  collectWhenIdle(clock, {
    committedBytes: () => state.committed,
    busyShare: () => state.busy,
    collectYoung: () => (state.young += 1),
    collect() {
      state.collections += 1;
      state.committed = Math.min(state.committed, 20 * MB);
    },
  });
  return { clock, state };
}

test("an idle process that has grown is collected once", () => {
  const { clock, state } = open();
  state.committed = 100 * MB;
  clock.advance(4_999);
  expect(state.young).toBe(0);
  clock.advance(1);
  expect(state).toMatchObject({ young: 1, collections: 0 });
  clock.advance(5_000);
  expect(state).toMatchObject({ young: 1, collections: 1, committed: 20 * MB });
  clock.advance(600_000);
  expect(state.collections).toBe(1);
  state.committed = 50 * MB;
  clock.advance(10_000);
  expect(state.collections).toBe(2);
});

test("a busy process is left alone until it is idle", () => {
  const { clock, state } = open();
  Object.assign(state, { committed: 100 * MB, busy: 0.02 });
  clock.advance(600_000);
  expect(state.collections).toBe(0);
  state.busy = 0.019;
  clock.advance(5_000);
  state.busy = 0.02;
  clock.advance(5_000);
  expect(state).toMatchObject({ young: 1, collections: 0 });
  state.busy = 0.019;
  clock.advance(10_000);
  expect(state).toMatchObject({ young: 2, collections: 1 });
});

test("little growth is not worth it", () => {
  const { clock, state } = open();
  state.committed = 26 * MB;
  clock.advance(600_000);
  expect(state.collections).toBe(0);
});

test("what cannot be collected is not collected again and again", () => {
  const clock = createFakeClock();
  let [committed, collections] = [20 * MB, 0];
  collectWhenIdle(clock, {
    committedBytes: () => committed,
    busyShare: () => 0,
    collectYoung() {},
    collect: () => (collections += 1),
  });
  committed = 200 * MB;
  clock.advance(600_000);
  expect(collections).toBe(1);
});
