import { createSharedAbort, type SharedAbort } from "../../base/shared-abort.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import type { SubmittedItems } from "../history/thread-history.ts";
import { FROM_USER, type TurnOrigin } from "../state/turn-origin.ts";
import {
  ACCEPTED,
  nextTurnState,
  type TurnKind,
  type TurnState,
  type TurnStateEvent,
} from "../state/turn-state.ts";
import type { CallBatch } from "./call-batch.ts";
import type { HeldWait } from "./limit-wait.ts";
import type { Submission } from "./submission.ts";

/** The active turn of a thread. */
export interface ActiveTurn {
  readonly id: string;
  /** The id for `turn/steer` and `turn/interrupt`; a review works in a child turn. */
  readonly workId: string;
  readonly kind: TurnKind;
  readonly origin: TurnOrigin;
  readonly abort: SharedAbort;
  /** Input that has arrived since the turn began and has not entered the history. */
  readonly pending: PendingInput;
  /** User texts that have entered the history in this turn. */
  readonly prompts: string[];
  /** Sent to the provider with each request of the turn. */
  readonly requestState: RequestState;
  /** The calls of the response that runs, where their questions outlive the process. */
  batch: CallBatch | null;
  /** The recorded wait for the end of a usage limit, until the provider answers. */
  wait: HeldWait | null;
  /** Resolves when the work of the turn has stopped. */
  readonly stopped: Deferred<void>;
  /** Responses to `turn/interrupt`, which are sent before the end is published. */
  readonly interruptions: Promise<void>[];
  readonly ended: Deferred<void>;
  readonly state: TurnState;
  advance(event: TurnStateEvent): void;
}

interface RequestState {
  /** Metadata that the client passes to the provider. */
  clientMetadata: Readonly<Record<string, string>>;
  /** Opaque state that the provider wants sent back. */
  providerState: string | null;
}

/** Persisted input that has not entered the history, in arrival order. */
export class PendingInput {
  readonly #inputs: (Submission | SubmittedItems)[] = [];
  readonly #listeners = new Set<(submission: Submission) => void>();

  get isEmpty(): boolean {
    return this.#inputs.length === 0;
  }

  get hasMessage(): boolean {
    return this.#inputs.some((input) => "message" in input);
  }

  add(input: Submission | SubmittedItems): void {
    this.#inputs.push(input);
    if ("message" in input) for (const listener of this.#listeners) listener(input);
  }

  /** Removes and returns all pending input. */
  take(): readonly (Submission | SubmittedItems)[] {
    return this.#inputs.splice(0);
  }

  /** Subscribes to user messages; returns the unsubscribe function. */
  onMessage(listener: (submission: Submission) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

export function createActiveTurn(
  kind: TurnKind,
  createId: () => string,
  id: string = createId(),
  origin: TurnOrigin = FROM_USER,
): ActiveTurn {
  const turn: ActiveTurn & { state: TurnState } = {
    id,
    workId: kind === "review" ? createId() : id,
    kind,
    origin,
    abort: createSharedAbort(),
    pending: new PendingInput(),
    prompts: [],
    requestState: { clientMetadata: {}, providerState: null },
    batch: null,
    wait: null,
    stopped: createDeferred(),
    interruptions: [],
    ended: createDeferred(),
    state: ACCEPTED,
    advance(event) {
      turn.state = nextTurnState(turn.state, event);
    },
  };
  return turn;
}
