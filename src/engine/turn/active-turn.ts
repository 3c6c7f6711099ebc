import { createDeferred, type Deferred } from "../../base/deferred.ts";
import type { ResponseItem, UserInput } from "../../protocol/generated/types.ts";
import type { WriteFault } from "../../store/rollout/write-fault.ts";
import type { HISTORY_LOST } from "../../tools/tool.ts";
import type { AdditionalContext } from "../input/additional-context.ts";
import type { TurnState } from "../state/turn-state.ts";
import type { Words } from "./hear-message.ts";

/** What a user says, and what the client wants the provider to know with it. */
export interface Message {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string | null;
  /** Null leaves what was said with an earlier message. */
  readonly clientMetadata: Readonly<Record<string, string>> | null;
}

/** What holds for one turn only. */
export interface TurnOptions {
  /** A JSON schema that the final answer must follow; null for none. */
  readonly outputSchema: unknown;
  readonly serviceTier: string | null;
  readonly additionalContext: AdditionalContext;
}

export const NO_OPTIONS: TurnOptions = { outputSchema: null, serviceTier: null, additionalContext: {} };

export type TurnKind = "user" | "compact" | "review" | "shell";

/** The turn that a thread is busy with. */
export interface ActiveTurn {
  readonly id: string;
  /** The id under which it is steered and interrupted; a review works in a turn of its own. */
  readonly workId: string;
  readonly kind: TurnKind;
  readonly abort: AbortController;
  /** What the user has said since the turn began and the model has not been told. */
  readonly pending: Words[];
  /** Called whenever something is added to that. */
  readonly listeners: Set<() => void>;
  /** What else came in meanwhile. */
  readonly pendingItems: ResponseItem[];
  clientMetadata: Readonly<Record<string, string>>;
  /** What the provider wants to be told again with each request of the turn. */
  providerState: string | null;
  /** What the user has said in it. */
  readonly said: string[];
  /** Whether new words of the user cut off what the model is saying. */
  steersAtOnce: boolean;
  /** Ends what the model is saying; null while it says nothing. */
  sampling: AbortController | null;
  /** The work has stopped; its end is told when whoever interrupted it has been answered. */
  readonly stopped: Deferred<void>;
  interruption: Deferred<void> | null;
  /** Clients know that it has failed. */
  failureTold: boolean;
  /** Why something of it could not be written down; it ends with that. */
  lost: WriteFault | null;
  readonly ended: Deferred<void>;
  state: TurnState;
}

/** Ends the work of a turn, and with it whatever the model is saying. */
export function abortTurn(turn: ActiveTurn, reason?: typeof HISTORY_LOST): void {
  turn.abort.abort(reason);
  turn.sampling?.abort();
}

export function createActiveTurn(kind: TurnKind, createId: () => string): ActiveTurn {
  const id = createId();
  return {
    id,
    workId: kind === "review" ? createId() : id,
    kind,
    abort: new AbortController(),
    pending: [],
    listeners: new Set(),
    pendingItems: [],
    clientMetadata: {},
    providerState: null,
    said: [],
    steersAtOnce: true,
    sampling: null,
    stopped: createDeferred(),
    interruption: null,
    failureTold: false,
    lost: null,
    ended: createDeferred(),
    state: { phase: "accepted" },
  };
}
