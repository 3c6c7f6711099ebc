import { describe, expect, it } from "vitest";
import type { Line } from "./lines.ts";
import { median } from "./median.ts";
import { judge, table } from "./report.ts";

const start: Line = { id: "start-new-home", title: "start", unit: "ms", budget: { below: 0.8 }, rounds: 1 };
const rate: Line = { id: "deltas", title: "deltas", unit: "/s", budget: { above: 5 }, rounds: 1 };

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
      [judge(start, 100, 50), judge(start, 100, 90), judge(rate, 10, 60), judge(rate, 10, 40)].map(
        ({ verdict }) => verdict,
      ),
    ).toEqual(["pass", "fail", "pass", "fail"]);
  });

  it("holds a line with a limit of its own against that, without the peer", () => {
    const line: Line = { id: "list-many", title: "list", unit: "ms", budget: { limit: 20 }, rounds: 1 };
    const measured = [judge(line, undefined, 12), judge(line, undefined, 21)];
    expect(table(measured)).toBe(
      [
        "line  peer   heddle  bare relay  ratio   budget  verdict",
        "list     -  12.0 ms           -      -  < 20 ms  pass",
        "list     -  21.0 ms           -      -  < 20 ms  fail",
      ].join("\n"),
    );
  });

  it("fails when a side gives no number", () => {
    expect(judge(start, 100, new Error("broken")).verdict).toBe("fail");
    expect(judge(start, new Error("broken"), 100).verdict).toBe("fail");
  });
});

describe("table", () => {
  it("shows all sides, the ratio, the budget and the verdict", () => {
    const measured = [{ ...judge(start, 100, 50), control: 31 }, judge(rate, 12_345, new Error("broken"))];
    expect(table(measured)).toBe(
      [
        "line        peer   heddle  bare relay  ratio  budget  verdict",
        "start     100 ms  50.0 ms     31.0 ms   0.50   < 0.8  pass",
        "deltas  12300 /s        -           -      -     > 5  fail: Heddle: broken",
      ].join("\n"),
    );
  });
});
