import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
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
 * What is not pure waits most of the time, so there are more workers than cores. A machine that decides what is taken
 * in has other work beside it: there a test that fails is asked once more, which the report shows, and one that is
 * broken fails twice.
 */
const waiting = { maxWorkers: isDeciding ? cores : cores * 2, sequence: { groupOrder: 1 } };

const SYSTEM_TESTS = [
  "src/**/*.system.test.ts",
  "test/support/**/*.test.ts",
  "test/conformance/play.test.ts",
];

/**
 * Pure tests share threads. Tests that start processes or listen on sockets share processes: starting one from a
 * thread of a large process takes far longer. What plays whole servers in its own process has it to itself.
 */
export default defineConfig({
  test: {
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
          exclude: SYSTEM_TESTS,
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
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/support/build-first.ts"],
          pool: "forks",
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          ...waiting,
          maxConcurrency: 4,
        },
      },
    ],
  },
});
