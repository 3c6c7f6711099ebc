/** Reads the server-sent events of a response, and gives up a stream that is silent for too long. */
import { createParser } from "eventsource-parser";
import type { Clock } from "../../base/clock.ts";
import { failureOf } from "../failure/failure.ts";
import type { ModelEvent } from "../model.ts";
import type { HttpResponse } from "./http-response.ts";
import type { ResponseEnd, WireReader } from "./wire.ts";

/** The longest single message of a stream, in characters. */
const MAX_MESSAGE_LENGTH = 32 * 1024 * 1024;
/** The longest stream, in characters: about a million words that arrive one by one. */
const MAX_STREAM_LENGTH = 256 * 1024 * 1024;

const IDLE = "idle timeout waiting for SSE";
const BROKEN = "Transport error: network error: error decoding response body";

export interface EventStreamOptions {
  /** Let go of in every case: for the next request after a whole answer, for good after any other. */
  readonly response: Pick<HttpResponse, "chunks" | "release" | "close">;
  readonly reader: WireReader;
  /** Handed out in front of the first events. */
  readonly first: readonly ModelEvent[];
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
  readonly maxMessageLength?: number;
  readonly maxStreamLength?: number;
}

/** Turns a stream of server-sent events into batches, one per chunk that held any, and says how it ended. */
export async function* readEventStream(
  options: EventStreamOptions,
): AsyncGenerator<readonly ModelEvent[], ResponseEnd, undefined> {
  const { response, reader, clock, idleTimeoutMs } = options;
  let batch: ModelEvent[] = [...options.first];
  let end: ResponseEnd | null = null;
  let isFirst = true;
  let received = false;
  let idle = false;
  let left = options.maxStreamLength ?? MAX_STREAM_LENGTH;

  const watch = createIdleWatch(clock, idleTimeoutMs, () => {
    idle = true;
    response.close();
  });
  const parser = createParser({
    maxBufferSize: options.maxMessageLength ?? MAX_MESSAGE_LENGTH,
    onEvent({ data }) {
      received = true;
      end ??= reader.read(data, batch);
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded")
        end ??= failureOf("unreadable", { detail: "a message of the stream is too long" });
    },
  });

  try {
    for await (const chunk of response.chunks()) {
      parser.feed(isFirst ? withoutMark(chunk) : chunk);
      isFirst = false;
      left -= chunk.length;
      if (left < 0) end ??= failureOf("unreadable", { detail: "the stream is too long" });
      if (end !== null) break;
      // Comments that keep a connection open do not count: a model that hangs behind them would hang for ever.
      if (received) watch.touch();
      received = false;
      if (batch.length > 0) {
        const ready = batch;
        batch = [];
        watch.pause();
        yield ready;
        watch.resume();
      }
    }
    end ??= reader.finish(batch);
  } catch {
    end = failureOf("disconnected", { detail: idle ? IDLE : BROKEN });
  } finally {
    watch.stop();
    // Before the last batch is handed out, because a consumer that sees the end there never comes back.
    if (end === "completed") response.release();
    else response.close();
  }
  if (batch.length > 0) yield batch;
  return end;
}

function withoutMark(chunk: string): string {
  return chunk.startsWith("\uFEFF") ? chunk.slice(1) : chunk;
}

/** Notices when something that is waited for stays away too long. One timer, however often it is touched. */
interface IdleWatch {
  /** It came. */
  touch(): void;
  /** Time does not count until `resume`, because it is us who are busy. */
  pause(): void;
  resume(): void;
  stop(): void;
}

function createIdleWatch(clock: Clock, limitMs: number, onIdle: () => void): IdleWatch {
  let idleMs = 0;
  let since = clock.monotonic();
  let paused = false;
  let cancel = clock.after(limitMs, check);

  function elapsed(): number {
    return paused ? idleMs : idleMs + clock.monotonic() - since;
  }

  function check(): void {
    const left = limitMs - elapsed();
    if (left <= 0) onIdle();
    else cancel = clock.after(left, check);
  }

  return {
    touch() {
      idleMs = 0;
      since = clock.monotonic();
    },
    pause() {
      idleMs = elapsed();
      paused = true;
    },
    resume() {
      since = clock.monotonic();
      paused = false;
    },
    stop: () => cancel(),
  };
}
