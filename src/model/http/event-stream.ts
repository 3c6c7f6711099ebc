/** Reads the server-sent events of a response, with an idle timeout. */
import { createParser } from "eventsource-parser";
import type { Clock } from "../../base/clock.ts";
import { createModelFailure } from "../failure/failure.ts";
import type { ModelEvent } from "../model.ts";
import type { HttpResponse } from "./http-response.ts";
import type { ResponseEnd, WireReader } from "./wire.ts";

/** The longest single message of a stream, in characters. */
const MAX_MESSAGE_LENGTH = 32 * 1024 * 1024;
/** The longest stream, in characters: about a million words that arrive one by one. */
const MAX_STREAM_LENGTH = 256 * 1024 * 1024;

const IDLE_MESSAGE = "idle timeout waiting for SSE";
const BROKEN_MESSAGE = "Transport error: network error: error decoding response body";

export interface EventStreamOptions {
  /** Always released: for reuse after a complete response, and closed otherwise. */
  readonly response: Pick<HttpResponse, "chunks" | "release" | "close">;
  readonly reader: WireReader;
  /** Prepended to the first batch. */
  readonly first: readonly ModelEvent[];
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
  readonly maxMessageLength?: number;
  readonly maxStreamLength?: number;
}

/** Yields one batch per chunk with events, and returns how the response ended. */
export async function* readEventStream(
  options: EventStreamOptions,
): AsyncGenerator<readonly ModelEvent[], ResponseEnd, undefined> {
  const { response, reader, clock, idleTimeoutMs } = options;
  let batch: ModelEvent[] = [...options.first];
  let end: ResponseEnd | null = null;
  let isFirst = true;
  let received = false;
  let idle = false;
  let remaining = options.maxStreamLength ?? MAX_STREAM_LENGTH;

  const idleTimer = createIdleTimer(clock, idleTimeoutMs, () => {
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
        end ??= createModelFailure("unreadable", { detail: "a message of the stream is too long" });
    },
  });

  try {
    for await (const chunk of response.chunks()) {
      parser.feed(isFirst ? withoutBom(chunk) : chunk);
      isFirst = false;
      remaining -= chunk.length;
      if (remaining < 0) end ??= createModelFailure("unreadable", { detail: "the stream is too long" });
      if (end !== null) break;
      // Keep-alive comments do not reset the timer: a model that hangs behind them would never time out.
      if (received) idleTimer.reset();
      received = false;
      if (batch.length > 0) {
        const ready = batch;
        batch = [];
        idleTimer.pause();
        yield ready;
        idleTimer.resume();
      }
    }
    end ??= reader.finish(batch);
  } catch {
    end = createModelFailure("disconnected", { detail: idle ? IDLE_MESSAGE : BROKEN_MESSAGE });
  } finally {
    idleTimer.stop();
    // Before the last batch is yielded, because a consumer that sees its end event stops iterating.
    if (end === "completed") response.release();
    else response.close();
  }
  if (batch.length > 0) yield batch;
  return end;
}

function withoutBom(chunk: string): string {
  return chunk.startsWith("\uFEFF") ? chunk.slice(1) : chunk;
}

/** An idle timeout that uses a single timer, however often it is reset. */
interface IdleTimer {
  reset(): void;
  /** Stops counting until `resume`, while the consumer is busy. */
  pause(): void;
  resume(): void;
  stop(): void;
}

function createIdleTimer(clock: Clock, limitMs: number, onIdle: () => void): IdleTimer {
  let idleMs = 0;
  let since = clock.monotonic();
  let paused = false;
  let cancel = clock.after(limitMs, check);

  function elapsed(): number {
    return paused ? idleMs : idleMs + clock.monotonic() - since;
  }

  function check(): void {
    const remaining = limitMs - elapsed();
    if (remaining <= 0) onIdle();
    else cancel = clock.after(remaining, check);
  }

  return {
    reset() {
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
