/**
 * Who writes to which thread. A lease in the database tells every Heddle on the home, and a lock file tells other
 * programs. A lease whose process has died counts no more; one that was taken over is noticed with the next renewal.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { HistoryIndex } from "../history-index.ts";
import { acquireWriterLock, type LockOutcome } from "../rollout/writer-lock.ts";

export type LeaseOutcome =
  | { readonly kind: "ours"; readonly takenOver: boolean }
  | { readonly kind: "theirs"; readonly message: string };

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
  /** The program that locks them, as it is found now; null for none, `flock` unless given. */
  readonly lockProgram?: () => string | null;
}

const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;
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

  async acquire(threadId: string, { takeOver }: { readonly takeOver: boolean }): Promise<LeaseOutcome> {
    const { index, owner } = this.#options;
    const other = await this.#take(threadId, takeOver);
    if (other !== null && !takeOver) return { kind: "theirs", message: `process ${other} writes to it` };
    const lock = await this.#lock(threadId);
    if (lock.kind === "taken" && !takeOver) {
      await index.releaseLease(threadId, owner);
      return { kind: "theirs", message: lock.message };
    }
    this.#hold(threadId, lock.kind === "held" ? lock.release : async () => {});
    return { kind: "ours", takenOver: other !== null || lock.kind === "taken" };
  }

  /** For a new thread, before anybody else can know of it. The lock file follows later. */
  async claim(threadId: string): Promise<void> {
    const { log, lockFiles = true } = this.#options;
    this.#hold(threadId, lockFiles ? this.#lockLater(threadId) : async () => {});
    try {
      await this.#take(threadId, true);
    } catch (error) {
      log.warn("a lease could not be taken", { threadId, reason: messageOf(error) });
    }
  }

  /** Whether the lease that is held is still ours; where that cannot be known it is not. */
  async confirm(threadId: string): Promise<boolean> {
    try {
      return this.#held.has(threadId) && (await this.#take(threadId, false)) === null;
    } catch (error) {
      this.#options.log.warn("a lease could not be confirmed", { threadId, reason: messageOf(error) });
      return false;
    }
  }

  async release(threadId: string): Promise<void> {
    const unlock = this.#held.get(threadId);
    if (unlock === undefined) return;
    this.#held.delete(threadId);
    if (this.#held.size === 0) this.#stopRenewal();
    const { index, log, owner } = this.#options;
    try {
      await unlock();
      await index.releaseLease(threadId, owner);
    } catch (error) {
      // It ends by itself when nobody renews it.
      log.warn("a lease could not be given back", { threadId, reason: messageOf(error) });
    }
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

  /** Whose the lease was, if it was a living process's; it is ours now unless that one keeps it. */
  async #take(threadId: string, takeOver: boolean): Promise<string | null> {
    const { index, clock, owner } = this.#options;
    const nowMs = clock.now();
    const request = { threadId, owner, nowMs, expiresAtMs: nowMs + LEASE_MS };
    const other = await index.acquireLease(request);
    if (other === null) return null;
    const lives = this.#isAlive(other.owner);
    if (takeOver || !lives) await index.acquireLease({ ...request, ignoring: [other.owner] });
    return lives ? other.owner : null;
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
    const { home, lockFiles = true, lockProgram = () => "flock" } = this.#options;
    const program = lockProgram();
    if (lockFiles && program !== null) return acquireWriterLock(home, threadId, { program });
    return Promise.resolve({ kind: "unavailable", message: "there are no lock files here" });
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

/** Names this process among those on a home. */
export function leaseOwner(id: string): string {
  return `${process.pid}@${hostName()}#${id}`;
}

/** Processes of other hosts, on a shared home, are believed. */
function processLives(owner: string): boolean {
  const [pid = "", host = ""] = (owner.split("#")[0] ?? "").split("@");
  if (host !== hostName() || !/^\d+$/.test(pid)) return true;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function hostName(): string {
  return process.getBuiltinModule("node:os").hostname();
}
