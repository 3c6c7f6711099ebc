import { describe, expect, it } from "vitest";
import type { Line } from "./lines.ts";
import { median } from "./median.ts";
import { judge, NotMeasured, table } from "./report.ts";

const start: Line = {
  id: "start-new-home",
  title: "start",
  unit: "ms",
  budget: { below: 0.8, of: "peer" },
  rounds: 1,
  beside: ["relay"],
};
const rate: Line = {
  ...start,
  id: "deltas",
  title: "deltas",
  unit: "/s",
  budget: { above: 5, of: "durable" },
};

describe("median", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])("of %j is %d", (values, middle) => {
    expect(median(values)).toBe(middle);
  });
});

describe("judge", () => {
  it("passes a ratio inside the budget and fails one outside", () => {
    expect(
      [
        judge(start, 50, { peer: 100 }),
        judge(start, 90, { peer: 100 }),
        judge(rate, 60, { durable: 10, peer: 100 }),
        judge(rate, 40, { durable: 10, peer: 1 }),
      ].map(({ verdict }) => verdict),
    ).toEqual(["pass", "fail", "pass", "fail"]);
  });

  it("compares a line that has a limit with that limit alone", () => {
    const line: Line = { ...start, title: "list", budget: { limit: 20 }, beside: [] };
    const measured = [judge(line, 12, {}), judge(line, 21, {})];
    expect(table(measured)).toBe(
      [
        "line   heddle  peer  bare relay  durable relay  empty Node  ratio  budget   verdict",
        "list  12.0 ms     -           -              -           -      -  < 20 ms  pass",
        "list  21.0 ms     -           -              -           -      -  < 20 ms  fail",
      ].join("\n"),
    );
  });

  it("does not judge what this machine cannot measure, and says what would help", () => {
    const line: Line = { ...start, title: "paint", budget: { limit: 20 }, beside: [] };
    expect(judge(line, new NotMeasured("install it"), {})).toMatchObject({
      verdict: "not measured",
      reason: "Heddle: install it",
    });
  });

  it("fails when a side gives no number", () => {
    expect(judge(start, new Error("broken"), { peer: 100 }).verdict).toBe("fail");
    expect(judge(start, 100, { peer: new Error("broken") }).verdict).toBe("fail");
    expect(judge(start, 50, { peer: 100, relay: new Error("broken") }).verdict).toBe("fail");
  });
});

describe("table", () => {
  it("shows all sides, the ratio, the budget and the verdict", () => {
    const measured = [
      judge(start, 50, { peer: 100, relay: 31 }),
      judge(rate, new Error("broken"), { durable: 12_345 }),
    ];
    expect(table(measured)).toBe(
      [
        "line     heddle    peer  bare relay  durable relay  empty Node  ratio  budget                verdict",
        "start   50.0 ms  100 ms     31.0 ms              -           -   0.50  < 0.8 of peer         pass",
        "deltas        -       -           -       12300 /s           -      -  > 5 of durable relay  fail: Heddle: broken",
      ].join("\n"),
    );
  });
});
