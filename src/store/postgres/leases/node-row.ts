/**
 * The row with which a process shows that it lives. It is renewed by the clock of the database. Whether others consider
 * this process dead follows from when a renewal was sent, not from when it was answered.
 */
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import type { Membership, NodeInfo } from "../../leases.ts";
import type { PostgresDatabase } from "../connection/database.ts";
import { NOW_MS } from "../connection/store-time.ts";

const RENEW_EVERY_MS = 2500;
const LEASE_MS = 10_000;
/** Earlier than others may act, so that the work of this process has ended by then. */
const GIVE_UP_AFTER_MS = 8000;
/** Rows of processes that have ended long ago are removed. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A row that ran out may be renewed: a process that has taken a thread meanwhile has raised its epoch. */
const RENEW = `
  INSERT INTO node (node_id, info, expires_at_ms) VALUES ($1, $2, ${NOW_MS} + ${LEASE_MS})
  ON CONFLICT (node_id) DO UPDATE SET expires_at_ms = excluded.expires_at_ms
  RETURNING ${NOW_MS} AS now`;
const DROP_OLD = `DELETE FROM node WHERE expires_at_ms < ${NOW_MS} - ${KEPT_MS}`;
const LEAVE = "DELETE FROM node WHERE node_id = $1";

export interface NodeRow extends Membership {
  /** Resolves once other processes see this one. */
  readonly joined: Promise<void>;
  leave(): Promise<void>;
}

export interface NodeRowOptions {
  readonly database: Pick<PostgresDatabase, "query" | "time">;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createNodeRow(node: NodeInfo, { database, clock, log }: NodeRowOptions): NodeRow {
  const lost = new AbortController();
  let cancelRenewal = (): void => {};
  let cancelGivingUp = (): void => {};
  let hasLeft = false;

  async function renew(): Promise<void> {
    const sentAt = clock.monotonic();
    const [renewed] = await database.query<{ readonly now: number }>(RENEW, node.id, JSON.stringify(node));
    const roundTripMs = clock.monotonic() - sentAt;
    if (renewed !== undefined) database.time.observe(renewed.now, roundTripMs);
    cancelGivingUp();
    if (hasLeft) return;
    const left = GIVE_UP_AFTER_MS - roundTripMs;
    cancelGivingUp = clock.after(Math.max(0, left), () => lost.abort(), { keepsAlive: false });
  }

  function renewLater(): void {
    if (hasLeft) return;
    const task = async (): Promise<void> => {
      await renew().catch((error: unknown) =>
        log.warn("the life of this process could not be announced", { reason: messageOf(error) }),
      );
      renewLater();
    };
    cancelRenewal = clock.after(RENEW_EVERY_MS, () => void task(), { keepsAlive: false });
  }

  async function join(): Promise<void> {
    await renew();
    renewLater();
    await database.query(DROP_OLD);
  }

  return {
    node,
    signal: lost.signal,
    joined: join(),
    async leave() {
      hasLeft = true;
      cancelRenewal();
      cancelGivingUp();
      await database.query(LEAVE, node.id);
    },
  };
}
