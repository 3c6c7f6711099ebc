/** The commands of all threads that are running, or whose exit the model has not seen. */
import { redactSecrets } from "../../base/redact-secrets.ts";
import type { Terminal } from "./terminal.ts";

export interface BackgroundTerminal {
  readonly itemId: string;
  readonly processId: string;
  readonly command: string;
  readonly cwd: string;
}

export interface BackgroundTerminals {
  /** The running terminals of a thread, ordered by process id. */
  list(threadId: string): BackgroundTerminal[];
  /** Kills one terminal; false where the thread has none with this id. */
  terminate(threadId: string, processId: string): Promise<boolean>;
  /** Kills all terminals of a thread. */
  clean(threadId: string): Promise<void>;
}

/** The limit per thread, and how many of the most recent are never evicted. */
const MAX_TERMINALS = 64;
const PROTECTED = 8;
const FIRST_PROCESS_ID = 1_000;
const LAST_PROCESS_ID = 99_999;

export class TerminalRegistry implements BackgroundTerminals {
  readonly #threads = new Map<string, Map<number, Terminal>>();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** An id that no command of the thread uses. */
  freeProcessId(threadId: string): number {
    const taken = this.#threads.get(threadId);
    const span = LAST_PROCESS_ID - FIRST_PROCESS_ID + 1;
    for (;;) {
      const id = FIRST_PROCESS_ID + Math.floor(this.#random() * span);
      if (taken?.has(id) !== true) return id;
    }
  }

  find(threadId: string, processId: number): Terminal | undefined {
    return this.#threads.get(threadId)?.get(processId);
  }

  put(terminal: Terminal): void {
    const { threadId, processId } = terminal.options;
    const thread = this.#threads.get(threadId) ?? new Map<number, Terminal>();
    this.#threads.set(threadId, thread);
    if (thread.size >= MAX_TERMINALS) this.#makeRoom(thread);
    thread.set(processId, terminal);
  }

  remove(terminal: Terminal): void {
    const { threadId, processId } = terminal.options;
    const thread = this.#threads.get(threadId);
    if (thread?.get(processId) !== terminal) return;
    thread.delete(processId);
    if (thread.size === 0) this.#threads.delete(threadId);
  }

  list(threadId: string): BackgroundTerminal[] {
    return this.#of(threadId)
      .filter(({ exitCode }) => exitCode === null)
      .map(({ options }) => options)
      .sort((one, other) => one.processId - other.processId)
      .map(({ item, processId, script }) => ({
        itemId: item.id,
        processId: String(processId),
        command: redactSecrets(script),
        cwd: item.cwd,
      }));
  }

  async terminate(threadId: string, processId: string): Promise<boolean> {
    const terminal = this.find(threadId, Number(processId));
    if (terminal === undefined) return false;
    this.remove(terminal);
    await terminal.end();
    return true;
  }

  async clean(threadId: string): Promise<void> {
    const all = this.#of(threadId);
    this.#threads.delete(threadId);
    await Promise.all(all.map((terminal) => terminal.end()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads.keys()].map((threadId) => this.clean(threadId)));
  }

  #of(threadId: string): Terminal[] {
    return [...(this.#threads.get(threadId)?.values() ?? [])];
  }

  /** Evicts an exited terminal first, then the least recently used; never one that a call waits for. */
  #makeRoom(thread: Map<number, Terminal>): void {
    const oldest = [...thread.values()]
      .sort((one, other) => one.lastUsed - other.lastUsed)
      .slice(0, Math.max(0, thread.size - PROTECTED))
      .filter(({ isWatched }) => !isWatched);
    const chosen = oldest.find(({ exitCode }) => exitCode !== null) ?? oldest[0];
    if (chosen === undefined) return;
    this.remove(chosen);
    void chosen.end();
  }
}
