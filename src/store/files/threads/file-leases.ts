/**
 * Who writes to which thread of a home. A lease in the database tells every Heddle on it, and a lock file tells other
 * programs. A lease whose process has died is free; one that was taken over is refused by its epoch.
 */
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
  /** Whether other programs are told by lock files as well. */
  readonly lockFiles?: boolean;
  /** The program that locks them, as it is found now; null for none, `flock` unless given. */
  readonly lockProgram?: () => string | null;
}

const RENEW_EVERY_MS = LEASE_MS / 3;
/** A new thread is locked for other programs when it has lived this long: most are shorter than the lock is worth. */
const LOCK_AFTER_MS = 2000;

/** For how long a lock that was taken is believed to be so, and of how many threads. */
const LOOK_AGAIN_MS = 2000;
const MAX_TAKEN = 1000;

const NO_LOCK: LockOutcome = { kind: "unavailable", message: "there are no lock files here" };

interface Held {
  readonly fence: Fence;
  readonly unlock: () => Promise<void>;
}

export class FileLeases implements Leases {
  readonly #options: LeaseOptions;
  readonly #held = new Map<string, Held>();
  /** By thread that is written to from here: whether its history is as it was left. */
  readonly #untouched = new Map<string, () => Promise<boolean>>();
  readonly #locks: WriterLocks | null;
  readonly #processes = systemProcesses();
  /** By thread and owner: when its lock was last seen to be taken. Trying it starts a program. */
  readonly #takenAt = new Map<string, number>();
  #cancelRenewal: (() => void) | null = null;
  /** As which this process stands in the table; nobody before it has joined. */
  #owner = "";
  readonly #lost = new AbortController();
  /** When others last saw that this process lives. */
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
    if (how === "ifFree" && holder !== null && this.#isBelieved(holder, hadLock)) return elsewhere(holder);
    // A lease runs out while its owner is asleep or stopped. Its lock stays, so nothing is raised before that is seen.
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

  /** For a new thread, before anybody else can know of it. The lock file follows later. */
  async claim(threadId: string): Promise<void> {
    const { log } = this.#options;
    const unlock = this.#locks === null ? async () => {} : this.#lockLater(threadId);
    this.#keep({ fence: { threadId, epoch: UNKNOWN_EPOCH }, unlock });
    try {
      await this.#takeAnew(threadId, "takeOver");
    } catch (error) {
      log.warn("a lease could not be taken", { threadId, reason: messageOf(error) });
    }
  }

  /** What is held of a thread; null for nothing that a write could be conditional on. */
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
    // The database may be another one than it was, and have forgotten whose the thread is. Or somebody had the lease
    // when it had run out, and gave it back.
    if (mark !== null && !(await this.#untouched.get(fence.threadId)?.())) return null;
    return (await this.#takeAnew(fence.threadId, "ifFree")) ? this.fence(fence.threadId) : null;
  }

  /** Whether this process may write to a thread that it has opened or claimed. */
  async confirmHeld(threadId: string): Promise<boolean> {
    const held = this.#held.get(threadId);
    if (held === undefined) return false;
    if (held.fence.epoch !== UNKNOWN_EPOCH) return (await this.confirm(held.fence)) !== null;
    try {
      return await this.#takeAnew(threadId, "ifFree");
    } catch {
      // A new thread whose lease nobody could take yet is not known to anybody else either.
      return true;
    }
  }

  async release(fence: Fence): Promise<void> {
    const held = this.#held.get(fence.threadId);
    if (held?.fence.epoch === fence.epoch) await this.releaseHeld(fence.threadId);
  }

  async releaseHeld(threadId: string): Promise<void> {
    this.#untouched.delete(threadId);
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
      // It ends by itself when nobody renews it.
      log.warn("a lease could not be given back", { threadId, reason: messageOf(error) });
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
    if (now - (this.#takenAt.get(key) ?? Number.NEGATIVE_INFINITY) < LOOK_AGAIN_MS) return true;
    if (this.#takenAt.size >= MAX_TAKEN) this.#takenAt.clear();
    const lock = await this.#lock(threadId);
    if (lock.kind === "taken") this.#takenAt.set(key, now);
    if (lock.kind === "held") lock.release();
    return lock.kind !== "held";
  }

  /** For a thread that is written to from here until it is released. */
  watch(threadId: string, isUntouched: () => Promise<boolean>): void {
    this.#untouched.set(threadId, isUntouched);
  }

  /** The threads of which some program tells by its lock file that it writes to them, as far as that can be seen. */
  locked(threadIds: readonly string[]): ReadonlySet<string> {
    return this.#locks?.taken(threadIds) ?? new Set();
  }

  async close(): Promise<void> {
    this.#stopRenewal();
    for (const threadId of this.#held.keys()) await this.releaseHeld(threadId);
  }

  /**
   * Leaves it to a living owner, unless it is to be taken from one. Where that cannot be known otherwise, an owner who
   * has let go of the thread's lock has ended.
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

  /** For a thread that is held already; its lock stays as it is. */
  async #takeAnew(threadId: string, how: "ifFree" | "takeOver"): Promise<boolean> {
    const taken = await this.#take(threadId, how);
    const known = this.#held.get(threadId);
    if (taken.kind === "elsewhere" || known === undefined) return false;
    this.#held.set(threadId, { ...known, fence: taken.fence });
    return true;
  }

  /** Whether its lock need not be looked at, or cannot tell anything. */
  #isBelieved(owner: string, hadLock: boolean): boolean {
    const liveness = this.#livenessOf(owner);
    return liveness === "alive" || (liveness === "unknown" && !hadLock);
  }

  /** What this store has left in the table, and does not hold, is nobody's. */
  #livenessOf(owner: string): Liveness {
    return owner === this.#owner ? "dead" : livenessOf(owner, this.#processes);
  }

  #hold(fence: Fence, lock: LockOutcome): void {
    const unlock = async () => (lock.kind === "held" ? lock.release() : undefined);
    // A lock that this process has already is what it could not take again.
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
      // What another process has taken is found out by whoever writes next.
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

/** Of a new thread whose lease is being taken; every real one is higher. */
const UNKNOWN_EPOCH = 0;

function held(threadId: string, epoch: number, takenFrom: string | null): LeaseOutcome {
  const node = takenFrom === null ? null : parseOwner(takenFrom);
  return { kind: "held", fence: { threadId, epoch }, takenFrom: node };
}

function elsewhere(owner: string): LeaseOutcome {
  return { kind: "elsewhere", node: parseOwner(owner) };
}
