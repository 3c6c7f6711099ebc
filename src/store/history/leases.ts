/**
 * Who writes to which thread. A lease in the database tells every Heddle on the home, and a lock file tells other
 * programs. A lease whose process has died counts no more; one that was taken over is noticed with the next renewal.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { HistoryIndex } from "../history-index.ts";
import { acquireWriterLock, type LockOutcome } from "../rollout/writer-lock.ts";

export interface LeaseOptions {
  readonly home: string;
  readonly index: HistoryIndex;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names this process among those on the home: `<process id>@<host>#<something unique>`. */
  readonly owner: string;
  /** Called when somebody else has taken a thread over. */
  readonly onLost: (threadId: string) => void;
  readonly isAlive?: (owner: string) => boolean;
  /** Whether other programs are told by lock files as well. */
  readonly lockFiles?: boolean;
}

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
/** A new thread's lease is out of the way of its first turn. */
const LEASE_AFTER_MS = 50;
/** A new thread is locked for other programs when it has lived this long: most are shorter than the lock is worth. */
const LOCK_AFTER_MS = 2000;

export class Leases {
  readonly #options: LeaseOptions;
  readonly #isAlive: (owner: string) => boolean;
  /** By thread: how its lock is given back. */
  readonly #held = new Map<string, () => Promise<void>>();
  #cancelRenewal: (() => void) | null = null;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#isAlive = options.isAlive ?? processLives;
  }

  /** Null when the thread is ours; otherwise why it is not. */
  async acquire(threadId: string, { takeOver }: { readonly takeOver: boolean }): Promise<string | null> {
    const other = await this.#take(threadId, takeOver);
    if (other !== null) return `process ${other} writes to it`;
    const outcome = await this.#lock(threadId);
    if (outcome.kind === "taken" && !takeOver) {
      await this.#options.index.releaseLease(threadId, this.#options.owner);
      return outcome.message;
    }
    this.#hold(threadId, outcome.kind === "held" ? outcome.release : async () => {});
    return null;
  }

  /** For a new thread, which nobody else can know yet: nothing is waited for. */
  claim(threadId: string): void {
    const { clock, log, lockFiles = true } = this.#options;
    this.#hold(threadId, lockFiles ? this.#lockLater(threadId) : async () => {});
    clock.after(LEASE_AFTER_MS, () => {
      if (!this.#held.has(threadId)) return;
      this.#take(threadId, true).catch((error: unknown) =>
        log.warn("a lease could not be taken", { threadId, reason: messageOf(error) }),
      );
    });
  }

  async release(threadId: string): Promise<void> {
    const unlock = this.#held.get(threadId);
    if (unlock === undefined) return;
    this.#held.delete(threadId);
    await unlock();
    await this.#options.index.releaseLease(threadId, this.#options.owner);
    if (this.#held.size === 0) this.#stopRenewal();
  }

  /** Whether some process, this one included, writes to the thread. */
  async isWritten(threadId: string): Promise<boolean> {
    if (this.#held.has(threadId)) return true;
    const { index, clock } = this.#options;
    const lease = await index.lease(threadId);
    return lease !== null && lease.expiresAtMs > clock.now() && this.#isAlive(lease.owner);
  }

  async close(): Promise<void> {
    this.#stopRenewal();
    for (const threadId of this.#held.keys()) await this.release(threadId);
  }

  /** Null when the lease is ours; otherwise whose it is. */
  async #take(threadId: string, takeOver: boolean): Promise<string | null> {
    const { index, clock, owner } = this.#options;
    const nowMs = clock.now();
    const request = { threadId, owner, nowMs, expiresAtMs: nowMs + LEASE_MS };
    const other = await index.acquireLease(request);
    if (other === null) return null;
    if (!takeOver && this.#isAlive(other.owner)) return other.owner;
    return (await index.acquireLease({ ...request, ignoring: [other.owner] }))?.owner ?? null;
  }

  #hold(threadId: string, unlock: () => Promise<void>): void {
    this.#held.set(threadId, unlock);
    this.#cancelRenewal ??= this.#options.clock.after(RENEW_EVERY_MS, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const { index, clock, log, owner, onLost } = this.#options;
    try {
      const ours = new Set(await index.renewLeases(owner, clock.now() + LEASE_MS));
      for (const threadId of this.#held.keys()) {
        if (!ours.has(threadId) && (await this.#take(threadId, false)) !== null) onLost(threadId);
      }
    } catch (error) {
      log.warn("leases could not be renewed", { reason: messageOf(error) });
    }
    const isIdle = this.#held.size === 0;
    this.#cancelRenewal = isIdle ? null : clock.after(RENEW_EVERY_MS, () => void this.#renew());
  }

  #stopRenewal(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = null;
  }

  #lock(threadId: string): Promise<LockOutcome> {
    const { home, lockFiles = true } = this.#options;
    if (lockFiles) return acquireWriterLock(home, threadId);
    return Promise.resolve({ kind: "unavailable", message: "lock files are off" });
  }

  #lockLater(threadId: string): () => Promise<void> {
    let locking: Promise<LockOutcome> | null = null;
    const cancel = this.#options.clock.after(LOCK_AFTER_MS, () => {
      locking = this.#lock(threadId);
    });
    return async () => {
      cancel();
      const outcome = await locking;
      if (outcome?.kind === "held") await outcome.release();
    };
  }
}

/** Processes of other hosts, on a shared home, are believed. */
function processLives(owner: string): boolean {
  const { hostname } = process.getBuiltinModule("node:os");
  const [pid = "", host = ""] = (owner.split("#")[0] ?? "").split("@");
  if (host !== hostname() || !/^\d+$/.test(pid)) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
