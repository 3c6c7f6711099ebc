import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { type CaptureOptions, captureProcess } from "./capture-process.ts";
import { createLocalHost } from "./local-host.ts";
import type { ProcessHost } from "./process-host.ts";

let host: ProcessHost;
beforeEach(() => {
  host = createLocalHost();
});
afterEach(() => host.close());

async function capture(script: string, options: Partial<CaptureOptions> = {}) {
  const spec = { argv: ["/bin/sh", "-c", script], cwd: "/", env: { PATH: "/usr/bin:/bin" } };
  const outcome = await captureProcess(host, spec, {
    clock: systemClock,
    timeoutMs: null,
    maxBytes: null,
    ...options,
  });
  if (outcome.kind === "failed") throw outcome.error;
  const { stdout, stderr, ...end } = outcome;
  return {
    ...end,
    stdout: [stdout.bytes.toString(), stdout.isCapped],
    stderr: [stderr.bytes.toString(), stderr.isCapped],
  };
}

const ended = { kind: "ended", isTimedOut: false, isDrainTimedOut: false };

test("a process is run to its end with its streams apart", async () => {
  expect(await capture("echo out; echo err >&2; exit 2")).toEqual({
    ...ended,
    exit: { code: 2, signal: null },
    stdout: ["out\n", false],
    stderr: ["err\n", false],
  });
});

test("each stream is kept to the limit and the process runs on", async () => {
  const seen: string[] = [];
  const onOutput = (chunk: Buffer): void => void seen.push(chunk.toString());
  expect(await capture("echo 123456789; printf 1234 >&2; exit 5", { maxBytes: 4, onOutput })).toEqual({
    ...ended,
    exit: { code: 5, signal: null },
    stdout: ["1234", true],
    stderr: ["1234", false],
  });
  expect(seen).toEqual(["1234", "1234"]);
});

test("a process that takes too long is ended", async () => {
  expect(await capture("echo up; sleep 300", { timeoutMs: 50 })).toMatchObject({
    isTimedOut: true,
    exit: { code: null, signal: "SIGKILL" },
  });
});

test("a process is ended with the signal", async () => {
  expect(await capture("sleep 300", { signal: AbortSignal.abort() })).toMatchObject({
    exit: { code: null, signal: "SIGKILL" },
  });
});
