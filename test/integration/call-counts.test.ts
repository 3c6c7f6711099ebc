import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { CALL_BUDGETS } from "../bench/call-budgets.ts";
import { COUNTED } from "../bench/call-counts.ts";

/** Other versions of Node make other numbers of promises for the same code. */
const isRecordedNode = process.versions.node.startsWith("20.");

/** Counts that fell by more than this share of their budget have to lower it. */
const SLACK = 0.1;

describe.runIf(isRecordedNode)("the calls of one operation stay within their budget", () => {
  test.each(Object.keys(COUNTED))("%s", async (operation) => {
    const counts = await COUNTED[operation]!(tmpdir());
    const budget = CALL_BUDGETS[operation]!;
    const over = Object.entries(counts).filter(([name, count]) => count > (budget[name] ?? 0));
    const loose = Object.entries(budget).filter(
      ([name, limit]) => limit >= 20 && (counts[name] ?? 0) < limit * (1 - SLACK),
    );
    expect(
      { over, loose },
      `budgets are in test/bench/call-budgets.ts; counted: ${JSON.stringify(counts)}`,
    ).toEqual({
      over: [],
      loose: [],
    });
  });
});
