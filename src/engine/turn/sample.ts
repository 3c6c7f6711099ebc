import type { Clock } from "../../base/clock.ts";
import { createTimeSlices, STREAMING_SLICES } from "../../base/time-slices.ts";
import { createModelFailure } from "../../model/failure/failure.ts";
import type {
  CompletedEvent,
  FailedEvent,
  FailureCause,
  Model,
  ModelEvent,
  ModelRequest,
  RetryingEvent,
} from "../../model/model.ts";
import type {
  RateLimitSnapshot,
  ResponseItem,
  ThreadItem,
  TurnError,
} from "../../protocol/generated/types.ts";
import {
  createResponseReader,
  MAX_RESPONSE_ITEMS,
  type ResponseReaderOptions,
} from "../items/response-reader.ts";
import type { OnModelEvent } from "./instrument-response.ts";
import type { ProviderNotices } from "./provider-reports.ts";
import type { ThreadCore } from "./thread-core.ts";

/** The result of one model response. */
export type Sample =
  | (Answer & { readonly kind: "answered"; readonly completed: CompletedEvent })
  /** The stream broke after some items were finished. They enter the history, and a new request follows. */
  | (Answer & { readonly kind: "broken"; readonly retry: RetryingEvent })
  /** The signal aborted the response; none of it enters the history. */
  | { readonly kind: "aborted" }
  | FailedSample;

export interface FailedSample {
  readonly kind: "failed";
  readonly error: TurnError;
  readonly cause?: FailureCause;
  /** Whether clients have seen a part of the response. */
  readonly hasOutput: boolean;
}

interface Answer {
  readonly items: readonly ResponseItem[];
  readonly lastMessage: ThreadItem | null;
  readonly rateLimits: readonly RateLimitSnapshot[];
  /** To be sent back with the turn's next request. */
  readonly turnState: string | null;
}

/** None of the items enters the history, because each call there would need an output. */
const TOO_MANY = createModelFailure("unusable", {
  detail: `the model's response has more than ${MAX_RESPONSE_ITEMS} items; ask for less at once`,
}).error;

export interface SampleOptions extends ResponseReaderOptions {
  readonly model: Model;
  readonly clock: Clock;
  readonly notices: ProviderNotices;
  readonly pace: ThreadCore["pace"];
  /** Wraps the reader with metrics and traces. */
  readonly instrument: (read: (onModelEvent: OnModelEvent) => Promise<Sample>) => Promise<Sample>;
  /** Called when an accepted response fails, breaks or is aborted. */
  readonly onIncomplete: (rateLimits: readonly RateLimitSnapshot[]) => void;
}

/**
 * Sends one request and reports the response as items while it streams. Nothing is awaited between the arrival of a
 * delta and its notification, unless a burst would block the event loop for longer than a time slice.
 */
export function sample(request: ModelRequest, signal: AbortSignal, options: SampleOptions): Promise<Sample> {
  return options.instrument((onModelEvent) => read(request, signal, options, onModelEvent));
}

async function read(
  request: ModelRequest,
  signal: AbortSignal,
  options: SampleOptions,
  onModelEvent: OnModelEvent,
): Promise<Sample> {
  const slices = createTimeSlices(() => options.clock.monotonic(), STREAMING_SLICES);
  const sampling = createSampling(options, signal, { onModelEvent, isSliceOver: slices.isOver });
  for await (const events of options.model.stream(request, signal)) {
    for (let taken = 0; taken < events.length && !signal.aborted; ) {
      const step = sampling.take(events, taken);
      if (typeof step !== "number") return step;
      taken = step;
      if (sampling.isSliceOver()) await slices.next();
    }
    const paced = options.pace();
    if (paced !== null) await paced;
    if (signal.aborted) break;
  }
  sampling.lose();
  return { kind: "aborted" };
}

function failed({ error, cause }: Pick<FailedEvent, "error" | "cause">, hasOutput: boolean): FailedSample {
  return { kind: "failed", error, hasOutput, ...(cause !== undefined && { cause }) };
}

interface SamplingHooks {
  readonly onModelEvent: OnModelEvent;
  readonly isSliceOver: () => boolean;
}

type Head = Extract<ModelEvent, { type: "accepted" }>;

/**
 * The synchronous part of `read`. V8 compiles a function anew for each of its loops that becomes hot: as one asynchronous
 * function, this took more of the compiler than the streaming of 20,000 deltas took of the main thread.
 */
function createSampling(options: SampleOptions, signal: AbortSignal, hooks: SamplingHooks) {
  const { threadId, turnId, emit, notices } = options;
  let reader = createResponseReader(options);
  let head: Head | null = null;
  let isSliceOver = false;
  let hasOutput = false;

  const lose = () => {
    if (head !== null) options.onIncomplete(head.rateLimits);
    head = null;
  };
  const answer = (): Answer => {
    const lastMessage = reader.lastMessage();
    return {
      items: reader.items,
      lastMessage,
      rateLimits: head?.rateLimits ?? [],
      turnState: head?.turnState ?? null,
    };
  };

  function takeOne(event: ModelEvent): Sample | null {
    hooks.onModelEvent(event);
    switch (event.type) {
      case "failed":
        lose();
        return failed(event, hasOutput);
      case "retrying": {
        const broken = answer();
        lose();
        emit("error", { error: event.error, willRetry: true, threadId, turnId });
        if (broken.items.length > 0) return { kind: "broken", ...broken, retry: event };
        reader = createResponseReader(options);
        return null;
      }
      case "accepted":
        head = event;
        return null;
      case "serverModel":
      case "verification":
      case "moderation":
        notices.read(event);
        return null;
      case "completed":
        return { kind: "answered", ...answer(), completed: event };
      case "created":
        reader.read(event);
        return null;
      default:
        hasOutput = true;
        reader.read(event);
        if (!reader.isOverfull()) return null;
        lose();
        hooks.onModelEvent({ type: "failed", error: TOO_MANY });
        return failed({ error: TOO_MANY }, hasOutput);
    }
  }

  return {
    /** Takes events from an index on, until a time slice is over. Returns the index of the next one, or the result. */
    take(events: readonly ModelEvent[], from: number): Sample | number {
      let index = from;
      isSliceOver = false;
      while (index < events.length && !signal.aborted && !isSliceOver) {
        const sampled = takeOne(events[index] as ModelEvent);
        if (sampled !== null) return sampled;
        index += 1;
        isSliceOver = hooks.isSliceOver();
      }
      return index;
    },
    isSliceOver: () => isSliceOver,
    lose,
  };
}
