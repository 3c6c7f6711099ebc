import { notificationRows } from "../../protocol/generated/table.ts";
import type {
  ItemStartedNotification,
  ServerNotifications,
  ThreadItem,
} from "../../protocol/generated/types.ts";

type Method = keyof ServerNotifications;

/** A notification about an item that is still being produced. */
export type OpenNotice = {
  readonly [M in Method]: { readonly method: M; readonly params: ServerNotifications[M] };
}[Method];

/** The params of a delta. */
export interface Piece {
  readonly itemId: string;
  readonly delta?: unknown;
  readonly summaryIndex?: number;
  readonly contentIndex?: number;
}

/** The text is `text` and after it the first `count` of the `latest` deltas. */
interface StreamedText {
  readonly method: Method;
  readonly first: Piece;
  text: string;
  count: number;
  readonly latest: string[];
}

/** This many deltas are joined at a time, so that they die young, and do not keep the chunks that they were read from. */
const JOINED = 128;

/** Items that are streamed as deltas, which new subscribers receive instead of an open item. */
const STREAMED_TYPES: ReadonlySet<ThreadItem["type"]> = new Set([
  "agentMessage",
  "reasoning",
  "plan",
  "userMessage",
]);

/**
 * The items that have started and not completed, and what was streamed of them so far, for clients that join. It is on
 * the path of every delta. The output of commands is not kept, because it has no bound.
 */
export class OpenItems {
  readonly #started = new Map<string, ItemStartedNotification>();
  readonly #texts: StreamedText[] = [];
  #last: StreamedText | null = null;

  start(params: ItemStartedNotification): void {
    this.#started.set(params.item.id, params);
  }

  add(method: Method, piece: Piece): void {
    const { delta } = piece;
    const last = this.#last;
    if (last !== null && last.method === method && isSameText(last.first, piece)) {
      last.latest[last.count] = delta as string;
      last.count += 1;
      if (last.count === JOINED) join(last);
    } else if (typeof delta === "string" && notificationRows[method].isRepeatedLater !== true) {
      this.#last = { method, first: piece, text: delta, count: 0, latest: [] };
      this.#texts.push(this.#last);
    }
  }

  complete(itemId: string): void {
    this.#started.delete(itemId);
    if (this.#texts.length === 0) return;
    const left = this.#texts.filter(({ first }) => first.itemId !== itemId);
    this.#texts.length = 0;
    this.#texts.push(...left);
    if (this.#last?.first.itemId === itemId) this.#last = null;
  }

  /** Without the items that are streamed as deltas. */
  items(): ThreadItem[] {
    return [...this.#started.values()].flatMap(({ item }) => (STREAMED_TYPES.has(item.type) ? [] : [item]));
  }

  /** The notifications that show all of them, with one delta for each text. */
  notices(): OpenNotice[] {
    return [...this.#started.values()].flatMap((params) => [
      { method: "item/started" as const, params },
      ...this.#textsOf(params.item.id),
    ]);
  }

  clear(): void {
    this.#started.clear();
    this.#texts.length = 0;
    this.#last = null;
  }

  #textsOf(itemId: string): OpenNotice[] {
    return this.#texts
      .filter(({ first }) => first.itemId === itemId)
      .map((streamed) => {
        const { method, first } = streamed;
        return { method, params: { ...first, delta: join(streamed) } } as unknown as OpenNotice;
      });
  }
}

function join(streamed: StreamedText): string {
  const { latest, count } = streamed;
  streamed.text += (count === latest.length ? latest : latest.slice(0, count)).join("");
  streamed.count = 0;
  return streamed.text;
}

function isSameText(one: Piece, other: Piece): boolean {
  return (
    one.itemId === other.itemId &&
    one.summaryIndex === other.summaryIndex &&
    one.contentIndex === other.contentIndex
  );
}
