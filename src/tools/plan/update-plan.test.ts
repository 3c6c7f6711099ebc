import { describe, expect, it } from "vitest";
import { openToolBench } from "../tool-bench.fixture.ts";
import { createUpdatePlan } from "./update-plan.ts";

const tool = createUpdatePlan({ isPlanMode: () => false });

describe("update_plan", () => {
  it("publishes the steps and the explanation", async () => {
    const bench = openToolBench();
    const plan = [
      { step: "read", status: "completed" },
      { step: "write", status: "in_progress" },
      { step: "test", status: "pending" },
    ];
    expect(await bench.call(tool, { explanation: "found more", plan })).toStrictEqual({
      output: "Plan updated",
      success: true,
    });
    expect(bench.seen).toStrictEqual([
      {
        plan: [
          { step: "read", status: "completed" },
          { step: "write", status: "inProgress" },
          { step: "test", status: "pending" },
        ],
        explanation: "found more",
      },
    ]);
  });

  it("reports invalid arguments to the model", async () => {
    const bench = openToolBench();
    expect(await bench.call(tool, { plan: [{ step: "a", status: "nope" }] })).toStrictEqual({
      output:
        "failed to parse function arguments: unknown variant `nope`, expected one of `pending`, `in_progress`, `completed` at line 1 column 36",
      success: false,
    });
    expect(bench.seen).toStrictEqual([]);
  });

  it("is rejected in Plan mode, whatever the arguments", async () => {
    const bench = openToolBench();
    expect(await bench.call(createUpdatePlan({ isPlanMode: () => true }), "nojson")).toStrictEqual({
      output: "update_plan is a TODO/checklist tool and is not allowed in Plan mode",
      success: false,
    });
  });
});
