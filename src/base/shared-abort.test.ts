import { expect, test } from "vitest";
import { createSharedAbort } from "./shared-abort.ts";

test("callbacks run once, after the signal is aborted, and not when they are released", () => {
  const abort = createSharedAbort();
  const calls: string[] = [];
  abort.signal.addEventListener("abort", () => calls.push("listener"));
  abort.onAbort(() => calls.push(`callback, ${abort.signal.aborted}`));
  const release = abort.onAbort(() => calls.push("released"));
  release();
  abort.abort("reason");
  abort.abort();
  expect(calls).toEqual(["listener", "callback, true"]);
  expect(abort.signal.reason).toBe("reason");
});

test("more than ten listeners cause no warning", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  const { signal } = createSharedAbort();
  for (let count = 0; count < 20; count += 1) signal.addEventListener("abort", () => count);
  await new Promise(setImmediate);
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});
