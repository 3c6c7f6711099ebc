/** Emits thread events for one model response, for metrics and traces. */
import type { ModelEvent } from "../../model/model.ts";
import type { ModelAnswered } from "../state/events.ts";
import type { ThreadCore } from "./thread-core.ts";

/** Called with each event of a response, in order. */
export type OnModelEvent = (event: ModelEvent) => void;

type End = Pick<ModelAnswered, "outcome" | "error" | "usage">;

/** Wraps the reader of a response: it passes each event to `onModelEvent`, and the response ends when it returns. */
export async function instrumentResponse<T>(
  { settings, createId, onEvent }: Pick<ThreadCore, "settings" | "createId" | "onEvent">,
  turnId: string,
  read: (onModelEvent: OnModelEvent) => Promise<T>,
): Promise<T> {
  const { modelProvider: provider, model } = settings;
  const ids = { turnId, requestId: createId() };
  let hasBegun = false;
  let end: End = { outcome: "interrupted", error: null, usage: null };

  function onModelEvent(event: ModelEvent): void {
    switch (event.type) {
      case "textDelta":
      case "reasoningSummaryDelta":
      case "reasoningTextDelta":
        if (hasBegun) return;
        hasBegun = true;
        return onEvent({ type: "answerBegun", ...ids });
      case "retrying":
        end = { ...end, outcome: "broken" };
        return onEvent({ type: "modelRetried", ...ids, error: event.error });
      case "accepted":
        end = { ...end, outcome: "interrupted" };
        return;
      case "completed":
        end = { outcome: "completed", error: null, usage: event.usage };
        return;
      case "failed":
        end = { outcome: "failed", error: event.error, usage: null };
        return;
      default:
        return;
    }
  }

  onEvent({ type: "modelAsked", ...ids, provider, model });
  try {
    return await read(onModelEvent);
  } finally {
    onEvent({ type: "modelAnswered", ...ids, ...end });
  }
}
