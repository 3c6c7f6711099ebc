/** Reads the durable events of a stored thread, whether or not it is loaded. */
import type { StoredEvent } from "../../engine/history/durable-events.ts";
import { type EventPlace, eventToken } from "../../store/event-token.ts";
import { comparePositions } from "../../store/line-position.ts";
import { type EventState, eventsOf, nextEventState } from "../../store/lines/thread-events.ts";
import type { StoredLine, ThreadStore } from "../../store/thread-store.ts";

type LineReader = Pick<ThreadStore, "lines">;

export interface StoredEvents {
  /** The events after a place, in order; they are read as they are taken. */
  events(): AsyncGenerator<StoredEvent>;
  /** The place up to which they were taken, after the last line once all were, and the state with which to continue. */
  end(): ReadPosition;
}

export interface ReadPosition {
  readonly place: EventPlace;
  /** The state before the line of the place; absent if it has to be read from the beginning of the turn. */
  readonly state?: EventState;
}

export function readStoredEvents(threads: LineReader, threadId: string, start: ReadPosition): StoredEvents {
  const { place: after } = start;
  let end = start;

  async function* events(): AsyncGenerator<StoredEvent> {
    let state: EventState = start.state ?? null;
    let { generation } = after;
    let isFirst = after.generation === 0 && after.seq === 0;
    const wholeTurn = start.state === undefined;
    for await (const stored of threads.lines(threadId, { from: after, wholeTurn })) {
      const { line, seq } = stored;
      const isAfter = comparePositions(stored, after) >= 0;
      // A history whose beginning was taken back begins with a later generation.
      if (isAfter && !isFirst && stored.generation > generation) {
        state = null;
        yield await reverted(threads, threadId, stored);
      }
      if (isAfter) ({ generation } = stored);
      const skipped = comparePositions(stored, after) === 0 ? after.index : 0;
      if (isAfter)
        for (const [at, event] of eventsOf(threadId, state, line).entries()) {
          if (at < skipped) continue;
          const place = { generation, seq, index: at + 1 };
          end = { place, state };
          yield { ...event, seq: eventToken(place) };
        }
      state = nextEventState(state, line);
      if (isAfter) end = { place: { generation, seq: seq + 1, index: 0 }, state };
      isFirst = false;
    }
  }

  return { events, end: () => end };
}

/** The event of a revert is at the beginning of the generation that begins with it, before its first line. */
async function reverted(
  threads: LineReader,
  threadId: string,
  { generation, seq }: StoredLine,
): Promise<StoredEvent> {
  const kept = { generation: await generationAt(threads, threadId, generation, seq - 1), seq, index: 0 };
  return {
    method: "thread/reverted",
    params: { threadId, keptUpTo: eventToken(kept) },
    seq: eventToken({ generation, seq: 0, index: 0 }),
  };
}

/** The generation of the line with a sequence number, in the history before a generation; 0 if there is none. */
async function generationAt(
  threads: LineReader,
  threadId: string,
  before: number,
  seq: number,
): Promise<number> {
  for (let generation = before - 1; generation > 0; generation -= 1) {
    for await (const line of threads.lines(threadId, { from: { generation, seq } })) {
      if (line.generation === generation && line.seq === seq) return generation;
      break;
    }
  }
  return 0;
}
