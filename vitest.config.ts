import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Pure tests share threads and are not isolated, which is eight times faster; tests that start
// processes or listen on sockets each get a process of their own.
export default defineConfig({
  test: {
    // By default one core is left idle, which on the two of a small machine is half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: "unit",
          setupFiles: ["test/support/property-seed.ts"],
          include: ["src/**/*.test.ts", "test/*.test.ts", "test/{bench,conformance,support}/**/*.test.ts"],
          pool: "threads",
          isolate: false,
        },
      },
      {
        test: {
          name: "integration",
          setupFiles: ["test/support/property-seed.ts"],
          include: ["test/integration/**/*.test.ts"],
          pool: "forks",
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
