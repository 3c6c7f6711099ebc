import type { HandlerResult, HookOutcome } from "../outcome.ts";
import type { HookTraits } from "./read-outcome.ts";

export const CODEX: HookTraits = { dialect: "codex", onFailure: "open", isAsync: false };
export const CLAUDE: HookTraits = { ...CODEX, dialect: "claude" };

/** The result of a process that exited; an object is written as JSON. */
export function exited(exitCode: number | null, output: string | object = "", stderr = ""): HandlerResult {
  const stdout = typeof output === "string" ? output : `${JSON.stringify(output)}\n`;
  return { kind: "exited", exitCode, stdout, stderr, isCut: false };
}

/** An outcome as lines: the status, the entries, and each present part of the effect. */
export function summary({ status, entries, effect }: HookOutcome): string[] {
  const { contexts, block, stop, permission, updatedInput, updatedOutput } = effect;
  return [
    status,
    ...entries.map(({ kind, text }) => `${kind}: ${text}`),
    ...contexts.map((text) => `> tell ${JSON.stringify(text)}`),
    ...(block === null ? [] : [`> block ${JSON.stringify(block)}`]),
    ...(stop === null ? [] : [`> stop ${JSON.stringify(stop.reason)}`]),
    ...(permission === null ? [] : [`> ${permission.behavior} ${JSON.stringify(permission.reason)}`]),
    ...(updatedInput === undefined ? [] : [`> input ${JSON.stringify(updatedInput)}`]),
    ...(updatedOutput === undefined ? [] : [`> output ${JSON.stringify(updatedOutput)}`]),
  ];
}
