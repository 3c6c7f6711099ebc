/** Encodes results with long histories in time slices, because `JSON.stringify` of 80 MB blocks for half a second. */
import type { Clock } from "../../base/clock.ts";
import { createTimeSlices, type TimeSlices } from "../../base/time-slices.ts";
import { JsonPieces } from "../../jsonrpc/message.ts";
import type { Turn } from "../../protocol/generated/types.ts";

interface WithTurns {
  readonly thread: { readonly turns: readonly Turn[] };
}

export interface HistoryEncoding {
  readonly clock: Pick<Clock, "monotonic">;
  readonly createId: () => string;
}

/** Histories with fewer items are encoded in one step. */
const MANY_ITEMS = 200;
/** Turns with no more items are encoded in one step. */
const FEW_ITEMS = 4;

/** Returns the result itself unless its history is long. */
export async function encodeLargeHistory<R extends WithTurns>(
  result: R,
  { clock, createId }: HistoryEncoding,
): Promise<R | JsonPieces> {
  const { turns } = result.thread;
  if (turns.reduce((count, { items }) => count + items.length, 0) < MANY_ITEMS) return result;
  const slices = createTimeSlices(() => clock.monotonic());
  const pieces = createPieces();
  // The content of a thread cannot name an id that did not exist when it was written.
  const gap = createId();
  const [head = "", tail = ""] = splitAt(gap, { ...result, thread: { ...result.thread, turns: gap } });
  pieces.add(`${head}[`);
  for (const [index, turn] of turns.entries()) {
    if (index > 0) pieces.add(",");
    await encodeTurn(turn, gap, pieces, slices);
  }
  pieces.add(`]${tail}`);
  return pieces.finish();
}

async function encodeTurn(turn: Turn, gap: string, pieces: Pieces, slices: TimeSlices): Promise<void> {
  if (turn.items.length <= FEW_ITEMS) {
    pieces.add(JSON.stringify(turn));
    return slices.pause();
  }
  const [head = "", tail = ""] = splitAt(gap, { ...turn, items: gap });
  pieces.add(`${head}[`);
  for (const [index, item] of turn.items.entries()) {
    pieces.add(index === 0 ? JSON.stringify(item) : `,${JSON.stringify(item)}`);
    await slices.pause();
  }
  pieces.add(`]${tail}`);
}

/** The JSON before and after the string that stands in for a long member. */
function splitAt(gap: string, value: unknown): string[] {
  return JSON.stringify(value).split(JSON.stringify(gap));
}

/** Each piece is a frame of a WebSocket, so short texts are joined up to this length. */
const PIECE_CHARACTERS = 64 * 1024;

type Pieces = ReturnType<typeof createPieces>;

function createPieces() {
  const pieces: string[] = [];
  let bytes = 0;
  let open = "";
  const close = (): void => {
    bytes += Buffer.byteLength(open);
    pieces.push(open);
    open = "";
  };
  return {
    add(text: string): void {
      // A transport splits longer pieces.
      if (open !== "" && open.length + text.length > PIECE_CHARACTERS) close();
      open += text;
    },
    finish(): JsonPieces {
      close();
      return new JsonPieces(bytes, pieces);
    },
  };
}
