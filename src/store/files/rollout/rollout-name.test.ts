import { expect, test } from "vitest";
import {
  compareNewestFirst,
  formatRolloutName,
  parseRolloutName,
  type RolloutName,
  rolloutPath,
} from "./rollout-name.ts";

const THREAD = "01a1de85-c6e8-7cd1-a911-8f3f8697f72b";
const REVERT = "01a1de85-cba1-7e20-ac33-315cf5d54b77";
const TIME = "2026-11-15T09-24-31";

test.each([
  [`rollout-${TIME}-${THREAD}.jsonl`, { threadId: THREAD, rolloutId: THREAD, time: TIME, compressed: false }],
  [
    `rollout-${TIME}-${THREAD}_${REVERT}.jsonl`,
    { threadId: THREAD, rolloutId: REVERT, time: TIME, compressed: false },
  ],
  [
    `rollout-${TIME}-${THREAD}.jsonl.zst`,
    { threadId: THREAD, rolloutId: THREAD, time: TIME, compressed: true },
  ],
])("the name %s says whose file it is, and can be made again", (fileName, name) => {
  expect(parseRolloutName(fileName)).toEqual(name);
  expect(formatRolloutName(name)).toBe(fileName);
});

test.each([
  "notes.jsonl",
  `rollout-${TIME}.jsonl`,
  `rollout-${TIME}-${THREAD}.json`,
  `x-rollout-${TIME}-${THREAD}.jsonl`,
])("%s is not a rollout", (fileName) => {
  expect(parseRolloutName(fileName)).toBeNull();
});

test("a file lies in the folder of its local day", () => {
  const createdAtMs = Date.UTC(2026, 11, 31, 23, 30, 5);
  expect([
    rolloutPath("/home", { threadId: THREAD, createdAtMs, utcOffsetMinutes: 0 }),
    rolloutPath("/home", { threadId: THREAD, createdAtMs, utcOffsetMinutes: 60, rolloutId: REVERT }),
  ]).toEqual([
    `/home/sessions/2026/12/31/rollout-2026-12-31T23-30-05-${THREAD}.jsonl`,
    `/home/sessions/2027/01/01/rollout-2027-01-01T00-30-05-${THREAD}_${REVERT}.jsonl`,
  ]);
});

test("of a file and what was packed of it, the file itself comes first", () => {
  const plain = parseRolloutName(`rollout-${TIME}-${THREAD}.jsonl`) as RolloutName;
  const packed = parseRolloutName(`rollout-${TIME}-${THREAD}.jsonl.zst`) as RolloutName;
  for (const names of [
    [plain, packed],
    [packed, plain],
  ])
    expect(names.toSorted(compareNewestFirst)).toEqual([plain, packed]);
});
