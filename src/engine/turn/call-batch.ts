/**
 * The calls of one response, where questions outlive the process. Nothing is written before a call waits for an answer;
 * from then on the journal has what each call has done, so that a later process can continue: outputs are kept, a call
 * that had started is not run again, and the call that waits is run only with an answer.
 */
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { OpenQuestion } from "../../store/decisions.ts";
import type {
  CallState,
  SuspendedCalls,
  SuspendedTurnFacts,
  WaitingCall,
} from "../../store/lines/suspended-calls.ts";
import { callsChanged } from "../../store/lines/thread-lines.ts";
import type { KeptCall } from "../../tools/permission.ts";
import type { ToolCall } from "../../tools/tool.ts";
import type { JournalCommits } from "../history/journal-commits.ts";
import type { BeforeCall } from "../hooks/tool-hooks.ts";

/** The calls of an earlier process, with its open questions. */
export interface ContinuedCalls extends SuspendedCalls {
  /** By item. */
  readonly questions: Map<string, OpenQuestion>;
  /** Why calls were denied whose outputs are not kept, by call. */
  readonly denials: ReadonlyMap<string, string>;
}

export interface CallBatchOptions {
  readonly turn: SuspendedTurnFacts;
  readonly commits: JournalCommits;
  /** Called before the first line is written. */
  readonly onFirstWait?: () => void;
  /** Called when nothing of the response runs, because every call that has begun waits for an answer or has ended. */
  readonly onWaiting: () => void;
  /** The same calls in an earlier process. */
  readonly continued?: ContinuedCalls | null;
}

type Proceeding = Extract<BeforeCall, { kind: "proceed" }>;

export class CallBatch {
  /** Whether an earlier process has begun the calls. */
  readonly isContinued: boolean;
  readonly #options: CallBatchOptions;
  readonly #states = new Map<string, CallState>();
  readonly #questions: Map<string, OpenQuestion>;
  /** Whether the journal has the calls. */
  #isKept: boolean;

  constructor(callIds: readonly string[], options: CallBatchOptions) {
    const { continued = null } = options;
    this.#options = options;
    this.isContinued = continued !== null;
    this.#isKept = continued !== null;
    this.#questions = continued?.questions ?? new Map();
    for (const id of callIds) this.#states.set(id, continued?.calls.get(id) ?? OPEN);
  }

  /** Whether a call waits for an answer that a later process can still receive. */
  get hasWaiting(): boolean {
    return this.#isKept && this.#has("waiting");
  }

  /** Whether the calls can be left to a later process without cutting off one that runs. */
  get isOnlyWaiting(): boolean {
    return this.hasWaiting && !this.#has("started");
  }

  /** The reason of a denial in an earlier process whose output is not kept. */
  denialOf(callId: string): string | null {
    return this.#options.continued?.denials.get(callId) ?? null;
  }

  isOpen(callId: string): boolean {
    return this.#states.get(callId)?.kind === "open";
  }

  isWaiting(callId: string): boolean {
    return this.#states.get(callId)?.kind === "waiting";
  }

  /** The output of a call that has ended; null for any other. */
  outputOf(callId: string): ResponseItem | null {
    const state = this.#states.get(callId);
    return state?.kind === "done" ? (state.output as unknown as ResponseItem) : null;
  }

  /** A waiting call as the hooks of an earlier process have left it; null for any other call. */
  continuedCall(call: ToolCall): Proceeding | null {
    const state = this.#states.get(call.callId);
    if (!this.isContinued || state?.kind !== "waiting") return null;
    const { call: stored, preset } = state.waiting;
    const isSame = stored.name === call.name && stored.input === call.input;
    return { kind: "proceed", call: isSame ? call : stored, permission: preset };
  }

  /** Marks a call as started. Resolves when that is durable; null where nothing needs to be written. */
  start(callId: string): Promise<unknown> | null {
    // A call that waits starts with its answer, which is recorded.
    if (this.isWaiting(callId)) return null;
    this.#states.set(callId, STARTED);
    if (!this.#isKept) return null;
    this.#append([callId]);
    return this.#options.commits.flush();
  }

  finish(callId: string, output: ResponseItem): void {
    this.#states.set(callId, { kind: "done", output: { ...output } });
    if (!this.#isKept) return;
    this.#append([callId]);
    if (this.isOnlyWaiting) this.#options.onWaiting();
  }

  /** The permissions of a call use it to outlive the process. */
  keep(callId: string, { call, permission }: Proceeding): KeptCall {
    const state = this.#states.get(callId);
    const waiting = state?.kind === "waiting" ? state.waiting : null;
    let question = waiting === null ? null : (this.#questions.get(waiting.itemId) ?? null);
    return {
      afterDenial: waiting?.afterDenial ?? null,
      takeQuestion: () => {
        const taken = question;
        question = null;
        if (taken !== null) this.#questions.delete(taken.itemId);
        return taken;
      },
      wait: (itemId, afterDenial) =>
        this.#wait(callId, { itemId, call: { ...call, callId }, preset: permission, afterDenial }),
      proceed: () => {
        if (this.isWaiting(callId)) this.#states.set(callId, STARTED);
      },
    };
  }

  /** Persists that a call waits: with the first one, all calls of the response. */
  async #wait(callId: string, waiting: WaitingCall): Promise<boolean> {
    this.#states.set(callId, { kind: "waiting", waiting });
    const isFirst = !this.#isKept;
    this.#isKept = true;
    if (isFirst) this.#options.onFirstWait?.();
    const commit = this.#append(isFirst ? [...this.#states.keys()] : [callId], isFirst);
    void this.#options.commits.flush();
    const fault = commit.fault === undefined ? await commit.settled : commit.fault;
    if (fault === null && this.isOnlyWaiting) this.#options.onWaiting();
    return fault === null;
  }

  #has(kind: CallState["kind"]): boolean {
    for (const state of this.#states.values()) if (state.kind === kind) return true;
    return false;
  }

  #append(callIds: readonly string[], isFirst = false) {
    const calls = callIds.map((callId) => ({ callId, state: this.#states.get(callId) ?? OPEN }));
    const { turn, commits } = this.#options;
    return commits.append(callsChanged({ turnId: turn.turnId, turn: isFirst ? turn : null, calls }));
  }
}

const OPEN: CallState = { kind: "open" };
const STARTED: CallState = { kind: "started" };
