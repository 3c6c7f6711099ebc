import fc from "fast-check";
import { expect, test } from "vitest";
import { createLanes, Fifo, type LaneAccess } from "./lanes.ts";
import { createDeferred } from "./tasks.ts";

test("synchronous work runs immediately and leaves no lane behind", () => {
  const lanes = createLanes();
  const order: number[] = [];
  lanes.run("a", "exclusive", () => void order.push(1));
  lanes.run("a", "exclusive", () => void order.push(2));
  expect(order).toEqual([1, 2]);
  expect(lanes.size).toBe(0);
});

test("different keys run in parallel", () => {
  const lanes = createLanes();
  const order: string[] = [];
  lanes.run("a", "exclusive", () => createDeferred<void>().promise);
  lanes.run("a", "exclusive", () => void order.push("a"));
  lanes.run("b", "exclusive", () => void order.push("b"));
  expect(order).toEqual(["b"]);
});

test("work that fails frees its lane", async () => {
  const lanes = createLanes();
  lanes.run("a", "exclusive", () => Promise.reject(new Error("no")));
  await new Promise<void>((resolve) => {
    lanes.run("a", "exclusive", () => resolve());
  });
  expect(lanes.size).toBe(0);
});

test("under any schedule a key keeps its order and exclusive work runs alone", async () => {
  const step = fc.record({
    key: fc.constantFrom("a", "b"),
    access: fc.constantFrom<LaneAccess>("shared", "exclusive"),
    sync: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.infiniteStream(fc.nat()), async (steps, picks) => {
      const lanes = createLanes();
      const started = new Map<string, number[]>();
      const running = new Map<string, Map<number, LaneAccess>>();
      const open: { key: string; index: number; end: () => void }[] = [];

      steps.forEach(({ key, access, sync }, index) => {
        lanes.run(key, access, () => {
          const now = running.get(key) ?? new Map<number, LaneAccess>();
          running.set(key, now.set(index, access));
          if (now.size > 1) expect([...now.values()]).not.toContain("exclusive");
          started.set(key, [...(started.get(key) ?? []), index]);
          if (sync) {
            now.delete(index);
            return undefined;
          }
          const done = createDeferred<void>();
          open.push({ key, index, end: done.resolve });
          return done.promise;
        });
      });

      while (open.length > 0) {
        const [entry] = open.splice((picks.next().value as number) % open.length, 1);
        running.get(entry!.key)?.delete(entry!.index);
        entry!.end();
        await Promise.resolve();
        await Promise.resolve();
        await Promise.resolve();
      }
      expect(lanes.size).toBe(0);
      for (const key of ["a", "b"]) {
        const expected = steps.flatMap((s, index) => (s.key === key ? [index] : []));
        expect(started.get(key) ?? []).toEqual(expected);
      }
    }),
    { numRuns: 200 },
  );
});

test("a long queue behind one slow task does not overflow the stack", async () => {
  const lanes = createLanes();
  const gate = createDeferred<void>();
  let done = 0;
  lanes.run("a", "exclusive", () => gate.promise);
  for (let i = 0; i < 50_000; i++) lanes.run("a", "exclusive", () => void done++);
  gate.resolve();
  await gate.promise;
  await Promise.resolve();
  expect(done).toBe(50_000);
});

test("behaves as an array does, under any operations", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(), fc.constant("shift" as const)), { maxLength: 5000 }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === "shift") expect(fifo.shift()).toBe(model.shift());
        else {
          fifo.push(step);
          model.push(step);
        }
        expect([fifo.size, fifo.peek()]).toEqual([model.length, model[0]]);
      }
    }),
    { numRuns: 30 },
  );
});

test("retains no reference to removed items", () => {
  const fifo = new Fifo<number>();
  let right = 0;
  for (let i = 0; i < 100_000; i++) {
    fifo.push(i);
    if (fifo.shift() === i) right += 1;
  }
  expect([right, fifo.size, fifo.peek()]).toEqual([100_000, 0, undefined]);
});
