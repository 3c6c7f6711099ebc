/**
 * Leases on the threads of a home. A row in the database announces the writer to every Heddle on the home, and a lock
 * file to other programs. The lease of a dead process is free; a lease that was taken over is detected by its epoch.
 */
import type { Awaitable } from "../../../base/awaitable.ts";
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Fence, LeaseOutcome, Leases, Membership, NodeInfo } from "../../leases.ts";
import { LEASE_MS, type LeaseTable } from "../index/history-index.ts";
import { createWriterLocks, type LockOutcome, type WriterLocks } from "../rollout/writer-lock.ts";
import { type Liveness, livenessOf, ownerName, parseOwner, systemProcesses } from "./lease-owner.ts";

export interface LeaseOptions {
  readonly home: string;
  readonly table: LeaseTable;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether lock files announce writers to other programs. */
  readonly lockFiles?: boolean;
  /** Finds the program that locks them; null if there is none. `flock` by default. */
  readonly lockProgram?: () => string | null;
}

const RENEW_EVERY_MS = LEASE_MS / 3;
/** A new thread gets its lock file only after this time, because most threads are shorter than a lock is worth. */
const LOCK_AFTER_MS = 2000;

/** How long a lock that was seen taken is assumed to be taken, and for how many threads. */
const TAKEN_TTL_MS = 2000;
const MAX_TAKEN = 1000;

const NO_LOCK: LockOutcome = { kind: "unavailable", message: "lock files are disabled" };

interface Held {
  readonly fence: Fence;
  readonly unlock: () => Promise<void>;
}

export class FileLeases implements Leases {
  readonly #options: LeaseOptions;
  readonly #held = new Map<string, Held>();
  /** For each open thread of this process, whether its history is unchanged since its last write. */
  readonly #unchangedChecks = new Map<string, () => Promise<boolean>>();
  readonly #locks: WriterLocks | null;
  readonly #processes = systemProcesses();
  /** When the lock of a thread and owner was last seen taken. Cached, because trying it starts a program. */
  readonly #takenAt = new Map<string, number>();
  #cancelRenewal: (() => void) | null = null;
  /** The owner name of this process in the table; empty before `join`. */
  #owner = "";
  readonly #lost = new AbortController();
  /** When the leases were last renewed. */
  #renewedAt = 0;

  constructor(options: LeaseOptions) {
    this.#options = options;
    const { home, lockFiles = true, lockProgram = () => "flock" } = options;
    this.#locks = lockFiles ? createWriterLocks(home, { program: lockProgram }) : null;
  }

  join(node: NodeInfo): Membership {
    this.#owner = ownerName(node);
    return { node, signal: this.#lost.signal };
  }

  async acquire(threadId: string, how: "ifFree" | "takeOver"): Promise<LeaseOutcome> {
    const holder = await this.#options.table.leaseOwner(threadId);
    const hadLock = this.#locks?.isKnown(threadId) ?? false;
    if (how === "ifFree" && holder !== null && this.#countsAsAlive(holder, hadLock)) return elsewhere(holder);
    // A lease expires while its owner is suspended, but its lock remains. The lock is tried before the epoch is raised.
    const lock = await this.#lock(threadId);
    if (how === "ifFree" && lock.kind === "taken") return { kind: "elsewhere", node: null };
    let taken: LeaseOutcome | null = null;
    try {
      taken = await this.#take(threadId, how, hadLock && lock.kind === "held");
    } finally {
      if (lock.kind === "held" && taken?.kind !== "held") lock.release();
    }
    if (taken.kind === "held") this.#hold(taken.fence, lock);
    return taken;
  }

  /** Acquires the lease of a new thread, which no other process knows yet. The lock file follows later. */
  async claim(threadId: string): Promise<void> {
    const { log } = this.#options;
    const unlock = this.#locks === null ? async () => {} : this.#lockLater(threadId);
    this.#keep({ fence: { threadId, epoch: UNKNOWN_EPOCH }, unlock });
    try {
      await this.#reacquire(threadId, "takeOver");
    } catch (error) {
      log.warn("a lease could not be acquired", { threadId, reason: messageOf(error) });
    }
  }

  /** The fence that this process holds; null if there is none, or if its epoch is not known yet. */
  fence(threadId: string): Fence | null {
    const fence = this.#held.get(threadId)?.fence;
    return fence === undefined || fence.epoch === UNKNOWN_EPOCH ? null : fence;
  }

  async confirm(fence: Fence): Promise<Fence | null> {
    const { table } = this.#options;
    const owner = this.#owner;
    const mark = await table.leaseMark(fence.threadId);
    if (mark?.owner === owner && mark.epoch === fence.epoch) return fence;
    const known = this.#held.get(fence.threadId);
    if (known?.fence.epoch !== fence.epoch) return null;
    // A new database has no lease for the thread. Otherwise, another process has acquired the expired lease and
    // released it.
    if (mark !== null && !(await this.#unchangedChecks.get(fence.threadId)?.())) return null;
    return (await this.#reacquire(fence.threadId, "ifFree")) ? this.fence(fence.threadId) : null;
  }

  /** Whether this process may write to a thread that it has opened or claimed. */
  confirmHeld(threadId: string): Awaitable<boolean> {
    const fence = this.#held.get(threadId)?.fence;
    if (fence === undefined) return false;
    const isMarked = fence.epoch !== UNKNOWN_EPOCH && this.#options.table.isMarked(fence, this.#owner);
    return isMarked || this.#restoreHeld(fence);
  }

  async #restoreHeld(fence: Fence): Promise<boolean> {
    const { threadId, epoch } = fence;
    if (epoch !== UNKNOWN_EPOCH) return (await this.confirm(fence)) !== null;
    try {
      return await this.#reacquire(threadId, "ifFree");
    } catch {
      // A new thread whose lease could not be acquired yet is unknown to other processes.
      return true;
    }
  }

  async release(fence: Fence): Promise<void> {
    const held = this.#held.get(fence.threadId);
    if (held?.fence.epoch === fence.epoch) await this.releaseHeld(fence.threadId);
  }

  async releaseHeld(threadId: string): Promise<void> {
    this.#unchangedChecks.delete(threadId);
    const held = this.#held.get(threadId);
    if (held === undefined) return;
    this.#held.delete(threadId);
    if (this.#held.size === 0) this.#stopRenewal();
    const { table, log } = this.#options;
    const owner = this.#owner;
    try {
      await held.unlock();
      await table.releaseLease(threadId, owner, held.fence.epoch);
    } catch (error) {
      // The lease expires without renewal.
      log.warn("a lease could not be released", { threadId, reason: messageOf(error) });
    }
  }

  async isHeld(threadId: string): Promise<boolean> {
    if (this.#held.has(threadId)) return true;
    const owner = await this.#options.table.leaseOwner(threadId);
    const liveness = owner === null ? "dead" : this.#livenessOf(owner);
    if (liveness !== "unknown") return liveness === "alive";
    if (this.#locks?.isKnown(threadId) !== true) return true;
    return this.#isLockTaken(threadId, `${threadId} ${owner}`);
  }

  async #isLockTaken(threadId: string, key: string): Promise<boolean> {
    const now = this.#options.clock.now();
    if (now - (this.#takenAt.get(key) ?? Number.NEGATIVE_INFINITY) < TAKEN_TTL_MS) return true;
    if (this.#takenAt.size >= MAX_TAKEN) this.#takenAt.clear();
    const lock = await this.#lock(threadId);
    if (lock.kind === "taken") this.#takenAt.set(key, now);
    if (lock.kind === "held") lock.release();
    return lock.kind !== "held";
  }

  /** Registers the check for external changes of an open thread, until its release. */
  watch(threadId: string, isUntouched: () => Promise<boolean>): void {
    this.#unchangedChecks.set(threadId, isUntouched);
  }

  /** The threads that any program has locked, as far as the system shows it. */
  locked(threadIds: readonly string[]): ReadonlySet<string> {
    return this.#locks?.taken(threadIds) ?? new Set();
  }

  async close(): Promise<void> {
    this.#stopRenewal();
    for (const threadId of this.#held.keys()) await this.releaseHeld(threadId);
  }

  /**
   * Does not take the lease from a living owner, except for a takeover. If its liveness is unknown, an owner that has
   * released the thread's lock counts as dead.
   */
  async #take(threadId: string, how: "ifFree" | "takeOver", isUnlocked = false): Promise<LeaseOutcome> {
    const { table } = this.#options;
    const owner = this.#owner;
    const first = await table.acquireLease({ threadId, owner });
    if (first.kind === "held") return held(threadId, first.epoch, null);
    const liveness = this.#livenessOf(first.owner);
    const isAlive = liveness === "alive" || (liveness === "unknown" && !isUnlocked);
    if (isAlive && how === "ifFree") return elsewhere(first.owner);
    const second = await table.acquireLease({ threadId, owner, ignoring: [first.owner] });
    return second.kind === "held"
      ? held(threadId, second.epoch, isAlive ? first.owner : null)
      : elsewhere(second.owner);
  }

  /** Reacquires the lease of a held thread, without its lock. */
  async #reacquire(threadId: string, how: "ifFree" | "takeOver"): Promise<boolean> {
    const taken = await this.#take(threadId, how);
    const known = this.#held.get(threadId);
    if (taken.kind === "elsewhere" || known === undefined) return false;
    this.#held.set(threadId, { ...known, fence: taken.fence });
    return true;
  }

  /** Whether the owner counts as alive without trying its lock. */
  #countsAsAlive(owner: string, hadLock: boolean): boolean {
    const liveness = this.#livenessOf(owner);
    return liveness === "alive" || (liveness === "unknown" && !hadLock);
  }

  /** A lease of this process that it does not hold is a leftover. */
  #livenessOf(owner: string): Liveness {
    return owner === this.#owner ? "dead" : livenessOf(owner, this.#processes);
  }

  #hold(fence: Fence, lock: LockOutcome): void {
    const unlock = async () => (lock.kind === "held" ? lock.release() : undefined);
    // The lock could not be taken again because this process already has it.
    const before = lock.kind === "held" ? undefined : this.#held.get(fence.threadId);
    this.#keep({ fence, unlock: before?.unlock ?? unlock });
  }

  #keep(entry: Held): void {
    this.#held.set(entry.fence.threadId, entry);
    if (this.#cancelRenewal !== null) return;
    const { clock } = this.#options;
    this.#renewedAt = clock.monotonic();
    this.#cancelRenewal = clock.after(RENEW_EVERY_MS, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const { table, clock, log } = this.#options;
    try {
      const ours = new Set(await table.renewLeases(this.#owner));
      this.#renewedAt = clock.monotonic();
      // A lease that another process has taken is detected by the next write.
      for (const threadId of this.#held.keys()) if (!ours.has(threadId)) await this.confirmHeld(threadId);
    } catch (error) {
      log.warn("leases could not be renewed", { reason: messageOf(error) });
      if (clock.monotonic() - this.#renewedAt >= LEASE_MS) this.#lost.abort();
    }
    const isIdle = this.#held.size === 0;
    this.#cancelRenewal = isIdle ? null : clock.after(RENEW_EVERY_MS, () => void this.#renew());
  }

  #stopRenewal(): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = null;
  }

  async #lock(threadId: string): Promise<LockOutcome> {
    return (await this.#locks?.acquire(threadId)) ?? NO_LOCK;
  }

  #lockLater(threadId: string): () => Promise<void> {
    let locking: Promise<LockOutcome> | null = null;
    const cancel = this.#options.clock.after(LOCK_AFTER_MS, () => {
      locking = this.#lock(threadId);
    });
    return async () => {
      cancel();
      const outcome = await locking;
      if (outcome?.kind === "held") outcome.release();
    };
  }
}

/** The epoch of a new thread whose lease is being acquired; actual epochs are higher. */
const UNKNOWN_EPOCH = 0;

function held(threadId: string, epoch: number, takenFrom: string | null): LeaseOutcome {
  const node = takenFrom === null ? null : parseOwner(takenFrom);
  return { kind: "held", fence: { threadId, epoch }, takenFrom: node };
}

function elsewhere(owner: string): LeaseOutcome {
  return { kind: "elsewhere", node: parseOwner(owner) };
}
