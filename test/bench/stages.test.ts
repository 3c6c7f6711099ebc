import { expect, test } from "vitest";
import { type CpuProfile, countStages } from "./stages.ts";

const frame = (functionName: string, url = "") => ({ functionName, url, lineNumber: 0, columnNumber: 0 });

const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 3, 4, 7, 8] },
    { id: 2, callFrame: frame("(idle)") },
    { id: 3, callFrame: frame("(garbage collector)") },
    { id: 4, callFrame: frame("append", "src/store/lines/line.ts"), children: [5] },
    { id: 5, callFrame: frame("stringify"), children: [6] },
    { id: 6, callFrame: frame("get", "src/store/files/sqlite/driver.ts") },
    { id: 7, callFrame: frame("tick") },
    { id: 8, callFrame: frame("mystery", "src/base/uuid.ts") },
  ],
  samples: [2, 3, 4, 5, 6, 7, 8, 4],
  timeDeltas: [1000, 1, 2, 4, 8, 16, 32, 64],
};

test("time counts for the stage of the nearest code of ours, and idle time for none", () => {
  const stages = countStages(profile, ({ url }) => (url === "" ? null : url));
  expect(Object.fromEntries(stages)).toEqual({
    "garbage collector": 1,
    journal: 2 + 4 + 64,
    index: 8,
    "Node's own streams, timers and promises": 16,
    "other code": 32,
  });
});
