import { isObject } from "../../base/json-object.ts";
import type { ReviewTarget } from "../../protocol/generated/types.ts";

/** The base instructions of a review. */
export const REVIEW_INSTRUCTIONS = `You review a change that another engineer has made. Look at the change and at the code around it with the tools you have; change nothing.

Report what the author would want to know before it is merged, and would fix once told:
- it makes the program wrong, slow, insecure or hard to maintain, and this change brought it in
- you can say when it happens and what happens then; a suspicion that you have not checked is no finding
- it is one thing that can be acted on; matters of taste are left alone unless the repository's own rules name them

For each finding give a title of at most 80 characters that says what is wrong and begins with its weight, [P0] (stop everything) to [P3] (some day); a body of one short paragraph that says why, in which case, and how bad; how sure you are; and the smallest range of lines that shows it. Prefer no finding to a weak one.

Answer with JSON alone, without a fence around it:
{
  "findings": [
    {
      "title": "...",
      "body": "...",
      "confidence_score": 0.0 to 1.0,
      "priority": 0 to 3,
      "code_location": { "absolute_file_path": "...", "line_range": { "start": 1, "end": 2 } }
    }
  ],
  "overall_correctness": "patch is correct" or "patch is incorrect",
  "overall_explanation": "one to three sentences",
  "overall_confidence_score": 0.0 to 1.0
}`;

/** The parsed result of a review. */
export interface ReviewOutput {
  readonly explanation: string;
  readonly findings: readonly Finding[];
}

interface Finding {
  readonly title: string;
  readonly body: string;
  readonly location: string;
}

/** Parses the reviewer's answer: JSON, possibly with text around it, or else plain text. */
export function parseReviewOutput(text: string): ReviewOutput {
  const inside = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return parseJson(text) ?? parseJson(inside) ?? { explanation: text, findings: [] };
}

/** Renders a review as a message. */
export function renderReview({ explanation, findings }: ReviewOutput): string {
  const sections = [explanation.trim(), renderFindings(findings)].filter((section) => section !== "");
  return sections.length === 0 ? "Reviewer failed to output a response." : sections.join("\n\n");
}

function renderFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const heading = findings.length > 1 ? "Full review comments:" : "Review comment:";
  return [heading, ...findings.map(renderFinding)].join("\n\n");
}

function renderFinding({ title, body, location }: Finding): string {
  const lines = body === "" ? [] : body.replace(/\n$/, "").split("\n");
  return [`- ${title} — ${location}`, ...lines.map((line) => `  ${line}`)].join("\n");
}

function parseJson(text: string): ReviewOutput | null {
  try {
    return toOutput(JSON.parse(text));
  } catch {
    return null;
  }
}

function toOutput(json: unknown): ReviewOutput | null {
  if (!isObject(json)) return null;
  const { findings, overall_explanation: explanation } = json;
  if (!Array.isArray(findings) || typeof explanation !== "string") return null;
  const parsed = findings.map(toFinding);
  return parsed.every((finding) => finding !== null) ? { explanation, findings: parsed } : null;
}

function toFinding(json: unknown): Finding | null {
  if (!isObject(json)) return null;
  const { title, body, code_location: location } = json;
  if (typeof title !== "string" || typeof body !== "string" || !isObject(location)) return null;
  const { absolute_file_path: path, line_range: range } = location;
  if (typeof path !== "string" || !isObject(range)) return null;
  const { start, end } = range;
  if (typeof start !== "number" || typeof end !== "number") return null;
  return { title, body, location: `${path}:${start}-${end}` };
}

/** Finds the merge base of the working tree and a branch; throws an error fit for the user. */
export type FindMergeBase = (branch: string) => Promise<string>;

/** A short description of a review's target for the user. */
export function reviewHint(target: ReviewTarget): string {
  switch (target.type) {
    case "uncommittedChanges":
      return "current changes";
    case "baseBranch":
      return `changes against '${target.branch.trim()}'`;
    case "commit": {
      const sha = target.sha.trim().slice(0, 7);
      const title = target.title?.trim() ?? "";
      return title === "" ? `commit ${sha}` : `commit ${sha}: ${title}`;
    }
    case "custom":
      return target.instructions.trim();
  }
}

/** Why a target is invalid, or null. */
export function refuseTarget(target: ReviewTarget): string | null {
  switch (target.type) {
    case "uncommittedChanges":
      return null;
    case "baseBranch":
      return target.branch.trim() === "" ? "branch must not be empty" : null;
    case "commit":
      return target.sha.trim() === "" ? "sha must not be empty" : null;
    case "custom":
      return target.instructions.trim() === "" ? "instructions must not be empty" : null;
  }
}

/** The prompt that asks the model for a review of the target. */
export async function reviewPrompt(target: ReviewTarget, findMergeBase: FindMergeBase): Promise<string> {
  switch (target.type) {
    case "uncommittedChanges":
      return "Review what has changed in the working tree and is not committed: staged, unstaged and untracked files. List what you find, the most important first.";
    case "baseBranch": {
      const branch = target.branch.trim();
      const base = await findMergeBase(branch);
      return `Review the changes since the branch '${branch}'. The last commit in common is ${base}: \`git diff ${base}\` shows the changes. List what you find, the most important first.`;
    }
    case "commit": {
      const title = target.title?.trim() ?? "";
      const name = title === "" ? target.sha.trim() : `${target.sha.trim()} ("${title}")`;
      return `Review the changes of commit ${name}. List what you find, the most important first.`;
    }
    case "custom":
      return target.instructions.trim();
  }
}
