import { createDeferred, type Deferred } from "../../base/deferred.ts";
import type { UserInput } from "../../protocol/generated/types.ts";
import type { TurnState } from "../turn-state.ts";

/** What a user says, and what the client wants the provider to know with it. */
export interface Message {
  readonly input: readonly UserInput[];
  readonly clientUserMessageId: string | null;
  /** Null leaves what was said with an earlier message. */
  readonly clientMetadata: Readonly<Record<string, string>> | null;
}

/** What holds for one turn only. */
export interface TurnOptions {
  /** A JSON schema that the final answer must follow. */
  readonly outputSchema: unknown;
  readonly serviceTier: string | null;
}

export type TurnKind = "user" | "compact" | "review" | "shell";

/** The turn that a thread is busy with. */
export interface ActiveTurn {
  readonly id: string;
  readonly kind: TurnKind;
  readonly abort: AbortController;
  /** What the user has said since the turn began and the model has not been told. */
  readonly pending: Message[];
  clientMetadata: Readonly<Record<string, string>>;
  /** What the provider wants to be told again with each request of the turn. */
  providerState: string | null;
  /** What the user has said in it. */
  readonly said: string[];
  /** Whether new words of the user cut off what the model is saying. */
  steersAtOnce: boolean;
  /** Ends what the model is saying; null while it says nothing. */
  sampling: AbortController | null;
  readonly ended: Deferred<void>;
  state: TurnState;
}

export function createActiveTurn(id: string, kind: TurnKind): ActiveTurn {
  return {
    id,
    kind,
    abort: new AbortController(),
    pending: [],
    clientMetadata: {},
    providerState: null,
    said: [],
    steersAtOnce: true,
    sampling: null,
    ended: createDeferred(),
    state: { phase: "accepted" },
  };
}
