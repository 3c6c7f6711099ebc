import type { FileEdit } from "../../tools/diff/file-diff.ts";
import { createTurnDiff } from "../../tools/diff/turn-diff.ts";
import type { Emit } from "../state/events.ts";

export interface DiffReportOptions {
  readonly threadId: string;
  readonly turnId: string;
  /** Names in the diff are relative to it. */
  readonly root: string;
  readonly emit: Emit;
}

/** Tells clients what a turn has made of the files: after each change, and again after each response. */
export interface DiffReport {
  record(edits: readonly FileEdit[]): void;
  repeat(): void;
}

export function createDiffReport({ threadId, turnId, root, emit }: DiffReportOptions): DiffReport {
  const turnDiff = createTurnDiff({ root });
  let told = "";
  const tell = (diff: string) => {
    told = diff;
    emit("turn/diff/updated", { threadId, turnId, diff });
  };
  return {
    record(edits) {
      turnDiff.record(edits);
      const diff = turnDiff.render();
      if (diff !== "" || told !== "") tell(diff);
    },
    repeat() {
      if (told !== "") tell(told);
    },
  };
}
