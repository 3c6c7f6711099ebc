import type { ReviewTarget } from "../../../protocol/generated/types.ts";

/** Finds the commit that the current work and a branch have in common; throws with words for the user. */
export type FindMergeBase = (branch: string) => Promise<string>;

/** What a review is about, in a few words for people. */
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

/** Why there is nothing to review, or null. */
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

/** The same for the model. */
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
