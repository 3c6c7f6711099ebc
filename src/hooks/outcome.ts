/** What comes of a run: what the handler gave back, what it means, and what a client is shown of it. */
import type { HookOutputEntry, HookRunStatus } from "../protocol/generated/types.ts";

/** What a handler gave back, whatever kind it is. */
export type HandlerResult =
  /** A program ended, or something that stands for one. */
  | {
      readonly kind: "exited";
      /** Null where a signal ended it. */
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
      /** Its standard output was longer than may be, and the rest of it is gone. */
      readonly isCut: boolean;
    }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "timedOut"; readonly seconds: number }
  /** The turn was interrupted, or the thread was closed. */
  | { readonly kind: "interrupted" };

/** What a run means, before anything is made of it. */
export interface HookOutcome {
  readonly status: Exclude<HookRunStatus, "running">;
  /** In the order of the protocol: warning, context, then feedback, stop or error. */
  readonly entries: readonly HookOutputEntry[];
  readonly effect: HookEffect;
}

/** What a hook asks for; each event honours the part that it can. */
export interface HookEffect {
  /** Messages for the model, one each. */
  readonly contexts: readonly string[];
  /** The action is not done, or the turn goes on, for this reason. */
  readonly block: string | null;
  /** Nothing goes on; the reason may be missing. */
  readonly stop: { readonly reason: string | null } | null;
  readonly permission: HookPermission | null;
  /** In place of what the tool would have been called with; undefined where nothing is replaced. */
  readonly updatedInput: unknown;
  /** In place of what the model is told of the call; undefined where nothing is replaced. */
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
