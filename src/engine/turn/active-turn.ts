import { createSharedAbort } from "../../base/shared-abort.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import type { SubmittedItems } from "../history/thread-history.ts";
import { FROM_USER, type TurnOrigin } from "../state/turn-origin.ts";
import {
  ACCEPTED,
  advance,
  type TurnKind,
  type TurnState,
  type TurnStateEvent,
} from "../state/turn-state.ts";
import type { Submission } from "./submission.ts";

/** The turn that a thread is busy with. */
export interface ActiveTurn {
  readonly id: string;
  /** The id under which it is steered and interrupted; a review works in a turn of its own. */
  readonly workId: string;
  readonly kind: TurnKind;
  readonly origin: TurnOrigin;
  readonly abort: AbortController;
  /** What has come in since the turn began, and has not entered the history. */
  readonly pending: PendingInput;
  /** Texts of the user that have entered the history in it. */
  readonly prompts: string[];
  /** Sent to the provider with each request of the turn. */
  readonly requestState: RequestState;
  /** The work has stopped. */
  readonly stopped: Deferred<void>;
  /** Responses to those who interrupted it, which leave before its end is published. */
  readonly interruptions: Promise<void>[];
  readonly ended: Deferred<void>;
  readonly state: TurnState;
  advance(event: TurnStateEvent): void;
}

interface RequestState {
  /** What the client wants the provider to know. */
  clientMetadata: Readonly<Record<string, string>>;
  /** What the provider wants to be told again. */
  providerState: string | null;
}

/** Input that is kept and has not entered the history, in the order in which it came. */
export interface PendingInput {
  readonly isEmpty: boolean;
  readonly hasMessage: boolean;
  add(input: Submission | SubmittedItems): void;
  /** All that is pending, which then is not any more. */
  take(): readonly (Submission | SubmittedItems)[];
  /** Calls back whenever the user says something; the returned function ends that. */
  onMessage(listener: (submission: Submission) => void): () => void;
}

export function createActiveTurn(
  kind: TurnKind,
  createId: () => string,
  id: string = createId(),
  origin: TurnOrigin = FROM_USER,
): ActiveTurn {
  let state = ACCEPTED;
  return {
    id,
    workId: kind === "review" ? createId() : id,
    kind,
    origin,
    abort: createSharedAbort(),
    pending: createPendingInput(),
    prompts: [],
    requestState: { clientMetadata: {}, providerState: null },
    stopped: createDeferred(),
    interruptions: [],
    ended: createDeferred(),
    get state() {
      return state;
    },
    advance(event) {
      state = advance(state, event);
    },
  };
}

function createPendingInput(): PendingInput {
  const inputs: (Submission | SubmittedItems)[] = [];
  const listeners = new Set<(submission: Submission) => void>();
  return {
    get isEmpty() {
      return inputs.length === 0;
    },
    get hasMessage() {
      return inputs.some((input) => "message" in input);
    },
    add(input) {
      inputs.push(input);
      if ("message" in input) for (const listener of listeners) listener(input);
    },
    take: () => inputs.splice(0),
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
