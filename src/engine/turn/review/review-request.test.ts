import { expect, test } from "vitest";
import type { ReviewTarget } from "../../../protocol/generated/types.ts";
import { refuseTarget, reviewHint, reviewPrompt } from "./review-request.ts";

interface Row {
  readonly target: ReviewTarget;
  readonly hint: string;
  readonly refusal: string | null;
  readonly promptHas: readonly string[];
}

const rows: readonly Row[] = [
  {
    target: { type: "uncommittedChanges" },
    hint: "current changes",
    refusal: null,
    promptHas: ["staged", "unstaged", "untracked"],
  },
  {
    target: { type: "baseBranch", branch: " main " },
    hint: "changes against 'main'",
    refusal: null,
    promptHas: ["'main'", "`git diff base-of-main`"],
  },
  {
    target: { type: "baseBranch", branch: "  " },
    hint: "changes against ''",
    refusal: "branch must not be empty",
    promptHas: [],
  },
  {
    target: { type: "commit", sha: " 1234567890 ", title: null },
    hint: "commit 1234567",
    refusal: null,
    promptHas: ["commit 1234567890."],
  },
  {
    target: { type: "commit", sha: "1234567890", title: " Fix it " },
    hint: "commit 1234567: Fix it",
    refusal: null,
    promptHas: ['commit 1234567890 ("Fix it").'],
  },
  {
    target: { type: "commit", sha: "", title: "Fix it" },
    hint: "commit : Fix it",
    refusal: "sha must not be empty",
    promptHas: [],
  },
  {
    target: { type: "custom", instructions: " Look at the tests. " },
    hint: "Look at the tests.",
    refusal: null,
    promptHas: ["Look at the tests."],
  },
  {
    target: { type: "custom", instructions: "\n" },
    hint: "",
    refusal: "instructions must not be empty",
    promptHas: [],
  },
];

test.each(rows)("a review of $target is told as $hint", async ({ target, hint, refusal, promptHas }) => {
  expect([reviewHint(target), refuseTarget(target)]).toEqual([hint, refusal]);
  const prompt = await reviewPrompt(target, async (branch) => `base-of-${branch}`);
  expect(promptHas.filter((part) => !prompt.includes(part))).toEqual([]);
});

test("a branch that has nothing in common with the work leaves its reason", async () => {
  const failing = () => Promise.reject(new Error("no common commit"));
  await expect(reviewPrompt({ type: "baseBranch", branch: "main" }, failing)).rejects.toThrow(
    "no common commit",
  );
});
