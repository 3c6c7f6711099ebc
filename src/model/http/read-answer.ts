import { createParser } from "eventsource-parser";
import type { Clock } from "../../base/clock.ts";
import { failureOf } from "../failure/failure.ts";
import type { ModelEvent } from "../model.ts";
import type { HttpResponse } from "./http-response.ts";
import { createIdleWatch } from "./idle-watch.ts";
import type { AnswerEnd, WireReader } from "./wire.ts";

/** The longest single message of a stream, in characters. */
const LONGEST_MESSAGE = 32 * 1024 * 1024;
/** The longest stream, in characters: about a million words that arrive one by one. */
const LONGEST_ANSWER = 256 * 1024 * 1024;

const IDLE = "idle timeout waiting for SSE";
const BROKEN = "Transport error: network error: error decoding response body";

export interface ReadAnswerOptions {
  /** Let go of in every case: for the next request after a whole answer, for good after any other. */
  readonly response: Pick<HttpResponse, "chunks" | "release" | "close">;
  readonly reader: WireReader;
  /** Handed out in front of the first events. */
  readonly first: readonly ModelEvent[];
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
  readonly longestMessage?: number;
  readonly longestAnswer?: number;
}

/** Turns a stream of server-sent events into batches, one per chunk that held any, and says how it ended. */
export async function* readAnswer(
  options: ReadAnswerOptions,
): AsyncGenerator<readonly ModelEvent[], AnswerEnd, undefined> {
  const { response, reader, clock, idleTimeoutMs } = options;
  let batch: ModelEvent[] = [...options.first];
  let end: AnswerEnd | null = null;
  let isFirst = true;
  let heard = false;
  let idle = false;
  let left = options.longestAnswer ?? LONGEST_ANSWER;

  const watch = createIdleWatch(clock, idleTimeoutMs, () => {
    idle = true;
    response.close();
  });
  const parser = createParser({
    maxBufferSize: options.longestMessage ?? LONGEST_MESSAGE,
    onEvent({ data }) {
      heard = true;
      end ??= reader.read(data, batch);
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded")
        end ??= failureOf("unreadable", { words: "a message of the stream is too long" });
    },
  });

  try {
    for await (const chunk of response.chunks()) {
      parser.feed(isFirst ? withoutMark(chunk) : chunk);
      isFirst = false;
      left -= chunk.length;
      if (left < 0) end ??= failureOf("unreadable", { words: "the stream is too long" });
      if (end !== null) break;
      // Comments that keep a connection open do not count: a model that hangs behind them would hang for ever.
      if (heard) watch.touch();
      heard = false;
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
    end = failureOf("disconnected", { words: idle ? IDLE : BROKEN });
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
