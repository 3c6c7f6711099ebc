/** A model for tests that decides while they run what it says: each request waits until it is told what comes. */
import { createDeferred } from "../base/tasks.ts";
import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";

/** A request that the model has not answered to the end. */
interface OpenAnswer {
  readonly request: ModelRequest;
  /** Sends these events together; after `completed` or `failed` nothing more can be sent. */
  send(...events: readonly ModelEvent[]): void;
}

interface ManualModel extends Model {
  /** Everything that was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** The request that waits for an answer; there is never more than one. */
  readonly open: OpenAnswer | null;
}

export function createManualModel(): ManualModel {
  const requests: ModelRequest[] = [];
  let open: OpenAnswer | null = null;
  return {
    requests,
    get open() {
      return open;
    },
    async *stream(request, signal) {
      const batches: (readonly ModelEvent[])[] = [];
      let wake = createDeferred<void>();
      const answer: OpenAnswer = {
        request,
        send(...events) {
          batches.push(events);
          if (events.some(({ type }) => type === "completed" || type === "failed")) open = null;
          wake.resolve();
        },
      };
      if (open !== null) throw new Error("the model was asked while it was answering");
      if (signal.aborted) return;
      requests.push({ ...request, input: [...request.input] });
      open = answer;
      const stop = () => {
        if (open === answer) open = null;
        wake.resolve();
      };
      signal.addEventListener("abort", stop, { once: true });
      try {
        for (;;) {
          await wake.promise;
          wake = createDeferred();
          for (const batch of batches.splice(0)) {
            if (signal.aborted) return;
            yield batch;
          }
          if (signal.aborted) return;
        }
      } finally {
        stop();
      }
    },
    close: () => {},
  };
}
