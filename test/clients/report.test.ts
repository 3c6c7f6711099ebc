import { describe, expect, test } from "vitest";
import type { Outcome, Result, Side } from "./client.ts";
import { renderReport } from "./report.ts";
import { missingProgram } from "./run-checks.ts";

const OK: Outcome = { kind: "ok", milliseconds: 12.4 };
const FAILED: Outcome = { kind: "failed", reason: "it hangs" };
const SKIPPED: Outcome = { kind: "skipped", reason: "tmux cannot be found" };

const result = (outcome: Outcome, side: Side = "heddle", check = "run"): Result => ({
  client: "a client",
  check,
  side,
  outcome,
});

describe("a run", () => {
  test.each([
    ["all hold", [result(OK)], false, true],
    ["one fails", [result(OK), result(FAILED, "heddle", "other")], false, false],
    [
      "one fails on both sides, and is the client's own",
      [result(FAILED), result(FAILED, "peer")],
      false,
      true,
    ],
    ["one fails on Heddle alone", [result(FAILED), result(OK, "peer")], false, false],
    ["one fails on the peer alone", [result(OK), result(FAILED, "peer")], false, true],
    ["one is skipped", [result(SKIPPED)], false, true],
    ["one is skipped, which may not be", [result(SKIPPED)], true, false],
    ["one is skipped on the peer alone, which may be", [result(OK), result(SKIPPED, "peer")], true, true],
    ["there are no checks", [], false, false],
  ] as const)("in which %s", (_what, results, isStrict, isGreen) => {
    expect(renderReport(results, { isStrict }).isGreen).toBe(isGreen);
  });

  test("is shown as a table with a reason for whatever did not hold", () => {
    const results = [result(OK), result(FAILED, "peer"), result(SKIPPED, "heddle", "a long name")];
    expect(renderReport(results, { isStrict: false }).text).toBe(
      [
        "client    check        heddle    peer",
        "a client  run          ok 12 ms  failed  peer: it hangs",
        "a client  a long name  skipped           heddle: tmux cannot be found",
        "",
        "1 ok, 0 failed, 1 skipped",
      ].join("\n"),
    );
  });
});

test("a client whose programs are not there is named with what it lacks", () => {
  const client = { name: "c", version: "1", source: { kind: "peer" }, checks: [] } as const;
  expect(missingProgram({ ...client, needs: ["sh"] }, "/bin:/usr/bin")).toBeNull();
  expect(missingProgram({ ...client, needs: ["sh", "no-such", "nor-this"] }, "/bin:/usr/bin")).toBe(
    "no-such and nor-this cannot be found",
  );
});
