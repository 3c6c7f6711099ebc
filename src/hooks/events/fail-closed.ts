/** What keeps a guard from letting something through because it failed, or said no in words that are not quite right. */
import { isObject } from "../../base/json-object.ts";
import type { HookOutputEntry } from "../../protocol/generated/types.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import { type HookEffect, type HookOutcome, NO_EFFECT } from "../outcome.ts";
import type { HookEvent } from "./event.ts";
import { trimmed } from "./meaning.ts";

/** An outcome, with what else is known of the run. */
export interface Draft extends HookOutcome {
  /** The JSON that the hook wrote, of whatever shape; undefined where it wrote none. */
  readonly said: unknown;
  /** A no that came without a reason. */
  readonly no: No | null;
  /** It could not be asked, or its answer did not arrive as it was written. */
  readonly isLost: boolean;
}

interface No {
  /** For the user. */
  readonly where: string;
  readonly reason: string | null;
}

export function failClosed(
  event: HookEvent,
  { status, entries, effect, said, no, isLost }: Draft,
  { onFailure, isAsync }: Pick<ConfiguredHook, "onFailure" | "isAsync">,
): HookOutcome {
  const outcome: HookOutcome = { status, entries, effect };
  if (!event.isGuard || isAsync || isNo(effect)) return outcome;
  const found = no ?? findNo(said);
  if (found !== null) {
    const reason = found.reason ?? `${event.name} hook said no and gave no reason`;
    return blockAnyway(outcome, reason, `${found.where} ${NO_ANYWAY}`);
  }
  if (status !== "failed") return outcome;
  if (onFailure === "open") {
    if (!isLost || event.whenLost === undefined) return outcome;
    return askAnyway(outcome, event.whenLost === "ask" ? ASKED : null);
  }
  const [failure] = (entries.at(-1)?.text ?? "").split("\n", 1);
  return blockAnyway(outcome, failure || `${event.name} hook failed`, CLOSED);
}

const NO_ANYWAY = "says no: blocked all the same";
const CLOSED = 'onFailure is "closed": blocked';
const ASKED = "it could not judge the call: the call is asked about";

/** Whether a run that failed has blocked; the line that ends its error is all that is recorded of that. */
export function isBlockedFailure({
  status,
  entries,
}: Pick<HookOutcome, "entries"> & { readonly status: string }): boolean {
  const last = entries.at(-1);
  if (status !== "failed" || last?.kind !== "error") return false;
  const note = last.text.slice(last.text.lastIndexOf("\n") + 1);
  return note === CLOSED || note.endsWith(` ${NO_ANYWAY}`);
}

/** The run counts as failed, and as a block. */
function blockAnyway({ entries, effect }: HookOutcome, reason: string, note: string): HookOutcome {
  return {
    status: "failed",
    entries: withNote(entries, note),
    effect: { ...NO_EFFECT, contexts: effect.contexts, block: reason },
  };
}

/** Those whom a guard watches can make it fail, with what it is given to judge: that allows nothing. */
function askAnyway({ entries, effect }: HookOutcome, note: string | null): HookOutcome {
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

function isNo({ block, stop }: HookEffect): boolean {
  return block !== null || stop !== null;
}

/** Where hooks say no, in every dialect; next to each the reason. */
const PLACES: readonly { readonly at: readonly string[]; readonly no: unknown; readonly reason: string }[] = [
  { at: ["hookSpecificOutput", "permissionDecision"], no: "deny", reason: "permissionDecisionReason" },
  { at: ["hookSpecificOutput", "decision", "behavior"], no: "deny", reason: "message" },
  { at: ["permissionDecision"], no: "deny", reason: "permissionDecisionReason" },
  { at: ["decision"], no: "block", reason: "reason" },
  { at: ["decision"], no: "deny", reason: "reason" },
  { at: ["continue"], no: false, reason: "stopReason" },
];

function findNo(said: unknown): No | null {
  for (const { at, no, reason } of PLACES) {
    const parent = at.slice(0, -1).reduce(memberOf, said);
    if (memberOf(parent, at.at(-1) ?? "") !== no) continue;
    const words = memberOf(parent, reason);
    return { where: `\`${at.join(".")}\``, reason: typeof words === "string" ? trimmed(words) : null };
  }
  return null;
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
