import { describe, expect, test } from "vitest";
import type { ReviewTarget } from "../../protocol/generated/types.ts";
import { parseReviewOutput, refuseTarget, renderReview, reviewHint, reviewPrompt } from "./review-text.ts";

const finding = {
  title: "[P1] Off by one",
  body: "The last line is lost.\nAlways.\n",
  confidence_score: 0.9,
  priority: 1,
  code_location: { absolute_file_path: "/project/a.ts", line_range: { start: 3, end: 5 } },
};
const answer = {
  findings: [finding],
  overall_correctness: "patch is incorrect",
  overall_explanation: " It loses data. ",
  overall_confidence_score: 0.8,
};
const output = {
  explanation: " It loses data. ",
  findings: [{ title: finding.title, body: finding.body, location: "/project/a.ts:3-5" }],
};

describe("a reviewer's answer", () => {
  test.each([
    ["the JSON alone", JSON.stringify(answer)],
    ["words around it", `Here it is:\n${JSON.stringify(answer)}\nThat is all.`],
    ["a fence around it", `\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``],
  ])("is understood with %s", (_name, text) => {
    expect(parseReviewOutput(text)).toEqual(output);
  });

  test.each([
    ["no JSON", "Looks good to me."],
    ["broken JSON", '{"findings": [{"title": '],
    ["JSON with something behind its end", `${JSON.stringify(answer)} }`],
    ["a closing brace before the first opening one", "} and {"],
    ["nothing", ""],
    ["a list", "[]"],
    ["no findings", '{"overall_explanation": "fine"}'],
    ["no explanation", '{"findings": []}'],
    ["a finding without a place", '{"findings": [{"title": "t", "body": "b"}], "overall_explanation": "e"}'],
    [
      "a place without lines",
      '{"findings": [{"title": "t", "body": "b", "code_location": {"absolute_file_path": "/a"}}], "overall_explanation": "e"}',
    ],
    [
      "lines that are no numbers",
      '{"findings": [{"title": "t", "body": "b", "code_location": {"absolute_file_path": "/a", "line_range": {"start": "1", "end": 2}}}], "overall_explanation": "e"}',
    ],
    ["findings that are null", '{"findings": [null], "overall_explanation": "e"}'],
  ])("with %s counts as plain text", (_name, text) => {
    expect(parseReviewOutput(text)).toEqual({ explanation: text, findings: [] });
  });
});

describe("a review as a message", () => {
  const second = { title: "[P2] Slow", body: "", location: "/project/b.ts:1-1" };

  test("has the explanation first, and each line of a finding indented", () => {
    expect(renderReview(output)).toBe(
      "It loses data.\n\nReview comment:\n\n- [P1] Off by one — /project/a.ts:3-5\n  The last line is lost.\n  Always.",
    );
  });

  test("names several findings as such", () => {
    expect(renderReview({ ...output, findings: [...output.findings, second] })).toBe(
      "It loses data.\n\nFull review comments:\n\n- [P1] Off by one — /project/a.ts:3-5\n  The last line is lost.\n  Always.\n\n- [P2] Slow — /project/b.ts:1-1",
    );
  });

  test("needs no explanation", () => {
    expect(renderReview({ explanation: "  ", findings: [second] })).toBe(
      "Review comment:\n\n- [P2] Slow — /project/b.ts:1-1",
    );
  });

  test("needs no findings", () => {
    expect(renderReview({ explanation: "Fine.", findings: [] })).toBe("Fine.");
  });

  test("says so when there is neither", () => {
    expect(renderReview({ explanation: "\n", findings: [] })).toBe("Reviewer failed to output a response.");
  });
});

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
