import type { Clock } from "../../base/clock.ts";
import { createTimeSlices, STREAMING_SLICES } from "../../base/time-slices.ts";
import { createModelFailure } from "../../model/failure/failure.ts";
import type { CompletedEvent, Model, ModelRequest, RetryingEvent } from "../../model/model.ts";
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
  | { readonly kind: "failed"; readonly error: TurnError };

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
  const { threadId, turnId, emit, model, notices, pace } = options;
  let reader = createResponseReader(options);
  let head: { readonly rateLimits: readonly RateLimitSnapshot[]; readonly turnState: string | null } | null =
    null;
  const lose = () => {
    if (head !== null) options.onIncomplete(head.rateLimits);
    head = null;
  };
  const answer = (): Answer => {
    const { items, lastMessage } = reader;
    return { items, lastMessage, rateLimits: head?.rateLimits ?? [], turnState: head?.turnState ?? null };
  };
  const slices = createTimeSlices(() => options.clock.monotonic(), STREAMING_SLICES);
  for await (const events of model.stream(request, signal)) {
    for (const event of events) {
      if (signal.aborted) break;
      onModelEvent(event);
      switch (event.type) {
        case "failed":
          lose();
          return { kind: "failed", error: event.error };
        case "retrying": {
          const broken = answer();
          lose();
          emit("error", { error: event.error, willRetry: true, threadId, turnId });
          if (broken.items.length > 0) return { kind: "broken", ...broken, retry: event };
          reader = createResponseReader(options);
          break;
        }
        case "accepted":
          head = event;
          break;
        case "serverModel":
        case "verification":
        case "moderation":
          notices.read(event);
          break;
        case "completed":
          return { kind: "answered", ...answer(), completed: event };
        default:
          reader.read(event);
          if (!reader.isOverfull) break;
          lose();
          onModelEvent({ type: "failed", error: TOO_MANY });
          return { kind: "failed", error: TOO_MANY };
      }
      if (slices.isOver()) await slices.next();
    }
    await pace();
    if (signal.aborted) break;
  }
  lose();
  return { kind: "aborted" };
}
