/** Runs one patch: parse, verify against the files, show, request permission, apply, report. */
import type { Clock } from "../../base/clock.ts";
import type { FileUpdateChange, PatchApplyStatus } from "../../protocol/generated/types.ts";
import type { FileEdit } from "../diff/file-diff.ts";
import type { FileChangeItem } from "../permission.ts";
import { type CallDescription, refuseCall, type ToolContext, type ToolResult } from "../tool.ts";
import { commitEdits } from "./commit-edits.ts";
import { parsePatch } from "./parse-patch.ts";
import type { Hunk } from "./patch.ts";
import type { PatchFileSystem } from "./patch-file-system.ts";
import { patchedFiles } from "./patched-files.ts";
import { planEdits, type Summary } from "./plan-edits.ts";
import { verifyPatch } from "./verify-patch.ts";

export interface PatchRequest {
  readonly callId: string;
  readonly text: string;
  /** The base of the patch's paths, if it is not the turn's working folder. */
  readonly cwd?: string;
  readonly origin?: "tool" | "command";
}

export interface PatchPorts {
  readonly fs: PatchFileSystem;
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns a new id on each call. */
  readonly id: () => string;
}

/**
 * A patch has this name wherever it comes from, with the names of tools that write and edit files as aliases.
 * One that was sent as a command has that name as an alias too, so that hooks on commands also match it.
 */
export function describePatch(
  text: string,
  { origin = "tool", cwd }: Pick<PatchRequest, "origin" | "cwd"> = {},
): CallDescription {
  const aliases = ["Write", "Edit", ...(origin === "command" ? ["Bash"] : [])];
  return {
    kind: "patch",
    name: "apply_patch",
    aliases,
    input: { command: text },
    files: (folder) => patchedFiles(text, cwd ?? folder),
  };
}

interface Fitting {
  readonly kind: "fits";
  readonly hunks: readonly Hunk[];
  readonly cwd: string;
  readonly changes: FileUpdateChange[];
  readonly paths: readonly string[];
}

type Checked = Fitting | { readonly kind: "refused"; readonly message: string };

type Applied =
  | { readonly kind: "done"; readonly summary: Summary; readonly edits: readonly FileEdit[] }
  | { readonly kind: "failed"; readonly message: string };

export async function runPatch(
  request: PatchRequest,
  context: ToolContext,
  ports: PatchPorts,
): Promise<ToolResult> {
  const checked = await check(request, context, ports);
  if (checked.kind === "refused") return refuseCall(checked.message);

  const { callId } = request;
  const { changes, paths } = checked;
  const item = fileChange(callId, changes, "inProgress");
  const answer = await context.permissions.request({
    kind: "fileChange",
    call: describePatch(request.text, request),
    item,
    paths,
  });
  if (answer.kind === "cancelled" || context.signal.aborted) return refuseCall("aborted");
  if (answer.kind === "declined") {
    if (answer.cause === "answer") context.items.complete(fileChange(callId, changes, "declined"));
    return refuseCall(answer.reason);
  }

  const startedAt = ports.clock.monotonic();
  const applied = await apply(checked, ports);
  const seconds = (ports.clock.monotonic() - startedAt) / 1000;
  if (applied.kind === "failed") {
    context.items.complete(fileChange(callId, changes, "failed"));
    const output = resultText(1, seconds, `${applied.message}\n`);
    return { output, success: false, value: { kind: "patch", status: "failed", changes } };
  }
  context.items.complete(fileChange(callId, changes, "completed"));
  context.edited(applied.edits);
  return {
    output: resultText(0, seconds, summaryText(applied.summary)),
    success: true,
    value: { kind: "patch", status: "completed", changes },
  };
}

async function check(request: PatchRequest, context: ToolContext, ports: PatchPorts): Promise<Checked> {
  const parsed = parsePatch(request.text);
  if (parsed.kind === "invalid") return unfit(parsed.message);
  const { hunks, environmentId } = parsed.patch;
  if (environmentId !== undefined) {
    return { kind: "refused", message: "apply_patch environment selection is unavailable for this turn" };
  }
  const cwd = request.cwd ?? context.cwd;
  const verified = await verifyPatch(ports.fs, hunks, cwd);
  if (verified.kind === "refused") return unfit(verified.message);
  if (hunks.length === 0) return { kind: "refused", message: "patch rejected: empty patch" };
  return { ...verified, hunks, cwd };
}

function unfit(reason: string): Checked {
  return { kind: "refused", message: `apply_patch verification failed: ${reason}` };
}

async function apply({ hunks, cwd, paths }: Fitting, { fs, id }: PatchPorts): Promise<Applied> {
  const planned = await planEdits(fs, hunks, cwd);
  if (planned.kind === "failed") return planned;
  // A symlink may have been created while the decision was pending.
  const stray = planned.edits.find(({ path }) => !paths.includes(path))?.path;
  if (stray !== undefined) {
    return { kind: "failed", message: `Failed to write file ${stray}: it is not among the approved files` };
  }
  const committed = await commitEdits(planned.edits, { fs, id: id() });
  if (committed.kind === "failed") return committed;
  return { kind: "done", summary: planned.summary, edits: planned.edits };
}

function fileChange(id: string, changes: FileUpdateChange[], status: PatchApplyStatus): FileChangeItem {
  return { type: "fileChange", id, changes, status };
}

export function summaryText({ added, modified, deleted }: Summary): string {
  const lines = [
    "Success. Updated the following files:",
    ...added.map((path) => `A ${path}`),
    ...modified.map((path) => `M ${path}`),
    ...deleted.map((path) => `D ${path}`),
  ];
  return `${lines.join("\n")}\n`;
}

function resultText(exitCode: number, seconds: number, output: string): string {
  return `Exit code: ${exitCode}\nWall time: ${Math.round(seconds * 10) / 10} seconds\nOutput:\n${output}`;
}
