/** The outcome of a hook run: the raw handler result, its effect, and the entries shown to clients. */
import type { HookOutputEntry, HookRunStatus } from "../protocol/generated/types.ts";

/** The raw result of a handler of any type. */
export type HandlerResult =
  /** A process exited, or an equivalent for handlers without a process. */
  | {
      readonly kind: "exited";
      /** Null after a signal. */
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
      /** Standard output exceeded its limit and was truncated. */
      readonly isCut: boolean;
    }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timedOut"; readonly seconds: number }
  /** The turn was interrupted, or the thread was closed. */
  | { readonly kind: "interrupted" };

/** The parsed result of one run, before the runs of an event are folded into a decision. */
export interface HookOutcome {
  readonly status: Exclude<HookRunStatus, "running">;
  /** In the order of the protocol: warning, context, then feedback, stop or error. */
  readonly entries: readonly HookOutputEntry[];
  readonly effect: HookEffect;
}

/** The requested effect; each event applies the members that it supports. */
export interface HookEffect {
  /** Messages for the model, one each. */
  readonly contexts: readonly string[];
  /** The action is blocked (or, at the end of a turn, the turn continues) for this reason. */
  readonly block: string | null;
  /** Processing stops; the reason is optional. */
  readonly stop: { readonly reason: string | null } | null;
  readonly permission: HookPermission | null;
  /** Replaces the tool input; undefined leaves it unchanged. */
  readonly updatedInput: unknown;
  /** Replaces the tool output sent to the model; undefined leaves it unchanged. */
  readonly updatedOutput: unknown;
}

export interface HookPermission {
  readonly behavior: "allow" | "deny" | "ask";
  readonly reason: string | null;
}

export const NO_EFFECT: HookEffect = {
  contexts: [],
  block: null,
  stop: null,
  permission: null,
  updatedInput: undefined,
  updatedOutput: undefined,
};
