import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const isDeciding = process.env["CI"] === "true";
const shared = { setupFiles: ["test/support/property-seed.ts"], retry: isDeciding ? 1 : 0 };

// Pure tests share threads and are not isolated, which is eight times faster; tests that start
// processes or listen on sockets each get a process of their own.
export default defineConfig({
  test: {
    // By default one core is left idle, which on the two of a small machine is half of it. A machine that decides
    // what is taken in has all the time, and other work beside it: there a test that fails is asked once more, which
    // the report shows, and one that is broken fails twice.
    maxWorkers: isDeciding ? 1 : Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: "unit",
          ...shared,
          include: ["src/**/*.test.ts", "test/*.test.ts", "test/{bench,conformance,support}/**/*.test.ts"],
          pool: "threads",
          isolate: false,
        },
      },
      {
        test: {
          name: "scenarios",
          ...shared,
          include: ["test/scenarios/*.test.ts"],
          pool: "forks",
          testTimeout: 60_000,
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
          pool: "forks",
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
