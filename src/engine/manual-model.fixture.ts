/** A model whose responses a test sends by hand: each request waits for `send`. */
import { createDeferred } from "../base/tasks.ts";
import type { Model, ModelEvent, ModelRequest } from "../model/model.ts";

/** A request whose response is still open. */
interface OpenAnswer {
  readonly request: ModelRequest;
  /** Sends these events together; after `completed` or `failed` nothing more can be sent. */
  send(...events: readonly ModelEvent[]): void;
}

interface ManualModel extends Model {
  /** All requests, in order. */
  readonly requests: readonly ModelRequest[];
  /** The request that awaits its response; there is never more than one. */
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
