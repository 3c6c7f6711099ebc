/** Prevents a guard from letting an action through because it failed or because its denial was malformed. */
import { isObject } from "../../base/json-object.ts";
import type { HookOutputEntry } from "../../protocol/generated/types.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import { type HookEffect, type HookOutcome, NO_EFFECT } from "../outcome.ts";
import type { HookEvent } from "./event.ts";
import { trimmed } from "./meaning.ts";

/** An outcome with further facts about the run. */
export interface OutcomeDraft extends HookOutcome {
  /** The JSON output of any shape; undefined without JSON. */
  readonly rawJson: unknown;
  /** A denial by exit code, without a reason. */
  readonly denial: Denial | null;
  /** The hook could not be run, or its answer was truncated. */
  readonly isInconclusive: boolean;
}

interface Denial {
  /** Shown to the user. */
  readonly where: string;
  readonly reason: string | null;
}

export function failClosed(
  event: HookEvent,
  { status, entries, effect, rawJson, denial, isInconclusive }: OutcomeDraft,
  { onFailure, isAsync }: Pick<ConfiguredHook, "onFailure" | "isAsync">,
): HookOutcome {
  const outcome: HookOutcome = { status, entries, effect };
  if (!event.isGuard || isAsync || isDenial(effect)) return outcome;
  const found = denial ?? findDenial(rawJson);
  if (found !== null) {
    const reason = found.reason ?? `${event.name} hook said no and gave no reason`;
    return blockInstead(outcome, reason, `${found.where} ${DENIED_NOTE}`);
  }
  if (status !== "failed") return outcome;
  if (onFailure === "open") {
    if (!isInconclusive || event.whenInconclusive === undefined) return outcome;
    return askInstead(outcome, event.whenInconclusive === "ask" ? ASK_NOTE : null);
  }
  const [failure] = (entries.at(-1)?.text ?? "").split("\n", 1);
  return blockInstead(outcome, failure || `${event.name} hook failed`, CLOSED_NOTE);
}

const DENIED_NOTE = "says no: blocked all the same";
const CLOSED_NOTE = 'onFailure is "closed": blocked';
const ASK_NOTE = "it could not judge the call: the call is asked about";

/** Whether a failed run has blocked; the note appended to its error is the only record of it. */
export function isBlockedFailure({
  status,
  entries,
}: Pick<HookOutcome, "entries"> & { readonly status: string }): boolean {
  const last = entries.at(-1);
  if (status !== "failed" || last?.kind !== "error") return false;
  const note = last.text.slice(last.text.lastIndexOf("\n") + 1);
  return note === CLOSED_NOTE || note.endsWith(` ${DENIED_NOTE}`);
}

/** The run counts as failed, and blocks. */
function blockInstead({ entries, effect }: HookOutcome, reason: string, note: string): HookOutcome {
  return {
    status: "failed",
    entries: withNote(entries, note),
    effect: { ...NO_EFFECT, contexts: effect.contexts, block: reason },
  };
}

/**
 * A guarded command can make its guard fail through the input that the guard judges, so a failed guard allows
 * nothing.
 */
function askInstead({ entries, effect }: HookOutcome, note: string | null): HookOutcome {
  const [failure] = (entries.at(-1)?.text ?? "").split("\n", 1);
  return {
    status: "failed",
    entries: note === null ? entries : withNote(entries, note),
    effect: {
      ...NO_EFFECT,
      contexts: effect.contexts,
      permission: { behavior: "ask", reason: `a hook could not judge this: ${failure || "it failed"}` },
    },
  };
}

function withNote(entries: readonly HookOutputEntry[], note: string): readonly HookOutputEntry[] {
  const last = entries.at(-1);
  return last?.kind === "error"
    ? [...entries.slice(0, -1), { kind: "error", text: `${last.text}\n${note}` }]
    : [...entries, { kind: "error", text: note }];
}

function isDenial({ block, stop }: HookEffect): boolean {
  return block !== null || stop !== null;
}

/** Where hooks deny, in every dialect, with the member that holds the reason. */
const DENIALS: readonly {
  readonly at: readonly string[];
  readonly denial: unknown;
  readonly reason: string;
}[] = [
  { at: ["hookSpecificOutput", "permissionDecision"], denial: "deny", reason: "permissionDecisionReason" },
  { at: ["hookSpecificOutput", "decision", "behavior"], denial: "deny", reason: "message" },
  { at: ["permissionDecision"], denial: "deny", reason: "permissionDecisionReason" },
  { at: ["decision"], denial: "block", reason: "reason" },
  { at: ["decision"], denial: "deny", reason: "reason" },
  { at: ["continue"], denial: false, reason: "stopReason" },
];

function findDenial(rawJson: unknown): Denial | null {
  for (const { at, denial, reason } of DENIALS) {
    const parent = at.slice(0, -1).reduce(memberOf, rawJson);
    if (memberOf(parent, at.at(-1) ?? "") !== denial) continue;
    const reasonText = memberOf(parent, reason);
    return {
      where: `\`${at.join(".")}\``,
      reason: typeof reasonText === "string" ? trimmed(reasonText) : null,
    };
  }
  return null;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
