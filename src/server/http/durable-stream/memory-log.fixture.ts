import type { EventLog, EventLogAbsence, EventLogs, LogGone, LogPage, LogTail } from "./event-log.ts";

const SEGMENT = "0000000000000000";
const OFFSET = /^\d{16}_\d{16}$/u;

/** A log in memory. An entry without a message moves the tail, as a line of a thread does that is no event. */
export class MemoryLog implements EventLog {
  readonly contentType: string;
  isClosed = false;
  /** The number of entries at the beginning that are not kept any more. */
  dropped = 0;
  readonly #entries: (Buffer | null)[];
  readonly #changes = new Set<() => void>();
  readonly #lives = new Set<(text: string) => void>();

  constructor(contentType: string, entries: readonly (Buffer | null)[] = []) {
    this.contentType = contentType;
    this.#entries = [...entries];
  }

  /** Appends messages, or for null an entry without one. */
  append(...messages: readonly (Buffer | string | null)[]): void {
    this.#entries.push(...messages.map((each) => (typeof each === "string" ? Buffer.from(each) : each)));
    this.#notify();
  }

  close(): void {
    this.isClosed = true;
    this.#notify();
  }

  send(text: string): void {
    for (const listener of this.#lives) listener(text);
  }

  /** Of changes and live texts. */
  subscribers(): number {
    return this.#changes.size + this.#lives.size;
  }

  /** The entries before an offset. */
  before(offset: string): readonly (Buffer | null)[] {
    return this.#entries.slice(0, indexOf(offset));
  }

  isOffset(text: string): boolean {
    return OFFSET.test(text);
  }

  read(offset: string | null, maxBytes: number): Promise<LogPage | LogGone> {
    const start = offset === null ? this.dropped : indexOf(offset);
    if (start > this.#entries.length || start < this.dropped) return Promise.resolve({ kind: "gone" });
    const messages: Buffer[] = [];
    let bytes = 0;
    let index = start;
    for (; index < this.#entries.length; index += 1) {
      const entry = this.#entries[index];
      if (entry === null || entry === undefined) continue;
      if (messages.length > 0 && bytes + entry.length > maxBytes) break;
      bytes += entry.length;
      messages.push(entry);
    }
    const isUpToDate = index === this.#entries.length;
    const { isClosed } = this;
    return Promise.resolve({ kind: "page", messages, nextOffset: offsetOf(index), isUpToDate, isClosed });
  }

  tail(): Promise<LogTail> {
    return Promise.resolve({ offset: offsetOf(this.#entries.length), isClosed: this.isClosed });
  }

  onChange(listener: () => void): () => void {
    this.#changes.add(listener);
    return () => void this.#changes.delete(listener);
  }

  onLive(listener: (text: string) => void): () => void {
    this.#lives.add(listener);
    return () => void this.#lives.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#changes) listener();
  }
}

/** Logs by their ids. */
export function createMemoryLogs(logs: ReadonlyMap<string, MemoryLog | EventLogAbsence["kind"]>): EventLogs {
  return {
    open(id) {
      const found = logs.get(id) ?? "unknown";
      return Promise.resolve(typeof found === "string" ? { kind: found } : found);
    },
  };
}

/** The offset after this many entries. */
export function offsetOf(index: number): string {
  return `${SEGMENT}_${String(index).padStart(SEGMENT.length, "0")}`;
}

function indexOf(offset: string): number {
  const [segment, index] = offset.split("_");
  return segment === SEGMENT ? Number(index) : Number.POSITIVE_INFINITY;
}
