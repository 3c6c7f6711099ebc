import type { Reporter, TestModule } from "vitest/node";

/**
 * Lists at the end of a run the tests that passed only on a retry: each indicates a fault of the test or of
 * the product.
 */
export class RetryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const retried = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0),
    );
    if (retried.length === 0) return;
    const names = retried.map((test) => `  ${test.module.relativeModuleId} > ${test.fullName}`);
    process.stderr.write(`\n${retried.length} tests were retried:\n${names.join("\n")}\n`);
  }
}
