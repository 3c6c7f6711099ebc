import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { RetryReporter } from "./test/support/retry-reporter.ts";
import { chooseTemporaryFolder } from "./test/support/temporary-folder.ts";

// Of the workers and of all that they start.
process.env["TMPDIR"] = chooseTemporaryFolder();

const isDeciding = process.env["CI"] === "true";
const cores = Math.max(2, availableParallelism());
const shared = {
  setupFiles: ["test/support/property-seed.ts"],
  retry: isDeciding ? 1 : 0,
  // What was translated for one run and project is there for the next.
  experimental: { fsModuleCache: true },
};

/**
 * Tests that start processes mostly wait, so there are more workers than cores. A CI machine has other work beside it: a
 * test gets one retry there, and the reporter lists every test that needed it.
 */
const waiting = { maxWorkers: isDeciding ? cores : cores * 2, sequence: { groupOrder: 1 } };

/** A failure here breaks a promise and may be rare, so that a retry would hide it. */
const NEVER_RETRIED = [
  "test/integration/{attack,crash,event-streams-crash,queue,queue-*,questions,questions-*,schedule-crash,waiting-crash,durability,full-disk}.test.ts",
  "src/**/*crash*.system.test.ts",
  "test/postgres/*crash*.test.ts",
  "src/**/*.property.test.ts",
];

const SYSTEM_TESTS = [
  "src/**/*.system.test.ts",
  "test/support/**/*.test.ts",
  "test/durable-streams/*.test.ts",
  "test/postgres/*.test.ts",
  "test/port-members.test.ts",
  "test/conformance/play.test.ts",
];

const integration = {
  include: ["test/integration/**/*.test.ts"],
  globalSetup: ["test/support/build-first.ts"],
  pool: "forks" as const,
  isolate: false,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  ...waiting,
  maxConcurrency: 4,
};

/**
 * Pure tests share threads. Tests that start processes or listen on sockets share processes: starting one from a
 * thread of a large process takes far longer. What plays whole servers in its own process has it to itself.
 */
export default defineConfig({
  test: {
    reporters: ["default", new RetryReporter()],
    projects: [
      {
        test: {
          name: "unit",
          ...shared,
          include: [
            "src/**/*.test.ts",
            "test/*.test.ts",
            "test/{bench,clients,conformance,growth,soak}/**/*.test.ts",
          ],
          exclude: [...SYSTEM_TESTS, ...NEVER_RETRIED],
          pool: "threads",
          isolate: false,
          // What computes takes longer on a machine that has other work.
          testTimeout: 20_000,
          maxWorkers: cores,
        },
      },
      {
        test: {
          name: "system",
          ...shared,
          include: SYSTEM_TESTS,
          exclude: NEVER_RETRIED,
          pool: "forks",
          isolate: false,
          testTimeout: 20_000,
          ...waiting,
        },
      },
      {
        test: {
          name: "scenarios",
          ...shared,
          include: ["test/scenarios/*.test.ts"],
          globalSetup: ["test/support/build-first.ts"],
          pool: "forks",
          testTimeout: 60_000,
          ...waiting,
          maxConcurrency: 8,
          // A server in this process has the time zone of this process.
          env: { TZ: "UTC" },
        },
      },
      {
        test: {
          name: "integration",
          ...shared,
          ...integration,
          exclude: NEVER_RETRIED,
        },
      },
      {
        test: {
          name: "console",
          ...shared,
          include: ["test/console/**/*.test.ts"],
          globalSetup: ["test/support/build-first.ts"],
          pool: "forks",
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "promises",
          ...shared,
          ...integration,
          retry: 0,
          include: NEVER_RETRIED,
        },
      },
    ],
  },
});
