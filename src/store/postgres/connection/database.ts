/**
 * Statements and transactions, with what may be tried again: conflicts always, and a lost connection where it is known
 * that nothing has happened. Nothing depends on the state of a session, so that PgBouncer may pool transactions; one
 * before 1.21 cannot prepare statements, and needs `?prepare=false` in the address.
 */
import { type Clock, wait } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { ConnectionLost, isConflict } from "./database-fault.ts";
import { PostgresLink, type PostgresRow, type PostgresValue } from "./link.ts";
import { createPool } from "./pool.ts";
import { NOW_MS, type StoreTime } from "./store-time.ts";

/** Runs statements. */
export interface Statements {
  /** The rows have the columns that the statement names. */
  query<R = PostgresRow>(text: string, ...values: readonly PostgresValue[]): Promise<readonly R[]>;
}

export interface PostgresDatabase extends Statements {
  readonly time: StoreTime;
  /** As `query`, which is repeated after a lost connection; without that, for a statement that is not safe to repeat. */
  queryOnce<R = PostgresRow>(text: string, ...values: readonly PostgresValue[]): Promise<readonly R[]>;
  /** Runs the work in one transaction. It may run again, so it must have no other effects. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** A connection outside of the pool; `onEnd` is called when it is lost. */
  connect(parts: {
    readonly onNotification: (payload: string) => void;
    readonly onEnd: () => void;
  }): Promise<PostgresLink>;
  close(): Promise<void>;
}

export interface PostgresOptions {
  readonly url: string;
  readonly time: StoreTime;
  /** Deadlines and pauses pass in real time. */
  readonly clock: Clock;
}

/** How long a statement is tried again while the database cannot be reached. */
export const RETRY_FOR_MS = 5000;
const MAX_CONFLICTS = 20;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;
/** A process that stops within a transaction must not keep its locks. */
const BEGIN = `
  BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 10000;
  SET LOCAL idle_in_transaction_session_timeout = 10000; SELECT pg_current_xact_id()::text AS xact`;

export function openPostgres({ url, time, clock }: PostgresOptions): PostgresDatabase {
  const ending = new AbortController();
  const pool = createPool(() => PostgresLink.open({ url, time, clock }));
  const timed = (text: string): string => text.replaceAll(NOW_MS, time.sql);

  const once = <R>(text: string, values: readonly PostgresValue[]): Promise<readonly R[]> =>
    pool.use(async (link) => (await link.query(timed(text), values)) as readonly R[]);

  /** Tries again until it is clear that it does not help. */
  async function retried<T>(work: () => Promise<T>, mayRepeat: boolean): Promise<T> {
    const endsAt = clock.monotonic() + RETRY_FOR_MS;
    let pause = FIRST_PAUSE_MS;
    for (let conflicts = 0; ; ) {
      try {
        return await work();
      } catch (error) {
        if (isConflict(error)) conflicts += 1;
        const isLost = error instanceof ConnectionLost && (mayRepeat || !error.mayHaveRun);
        const mayTry = isConflict(error) ? conflicts < MAX_CONFLICTS : isLost;
        if (!mayTry || ending.signal.aborted || clock.monotonic() >= endsAt) throw error;
      }
      await wait(clock, pause, ending.signal);
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
  }

  /** Whether a transaction whose answer was lost has taken effect. */
  async function hasCommitted(xact: string): Promise<boolean> {
    for (;;) {
      const rows = await retried(
        () => once<{ status: string | null }>("SELECT pg_xact_status($1::text::xid8) AS status", [xact]),
        true,
      );
      const status = rows[0]?.status ?? "unknown";
      if (status === "committed" || status === "aborted") return status === "committed";
      if (status === "unknown")
        throw new AppError("store.unavailable", "the database does not know whether a change was stored");
      await wait(clock, MAX_PAUSE_MS, ending.signal);
    }
  }

  const transactOnce = <T>(work: (statements: Statements) => Promise<T>): Promise<T> => {
    let lost: { readonly xact: string; readonly result: T } | null = null;
    return pool
      .use(async (link) => {
        const [begun] = await asUndone(link.script(BEGIN));
        const result = await runWithin(link, work);
        try {
          await link.script("COMMIT");
        } catch (error) {
          if (!(error instanceof ConnectionLost) || !error.mayHaveRun) throw error;
          lost = { xact: String(begun?.["xact"]), result };
        }
        return result;
      })
      .then(async (result) => {
        if (lost === null || (await hasCommitted(lost.xact))) return result;
        throw new ConnectionLost("the connection was lost before the change was stored", false);
      });
  };

  async function runWithin<T>(link: PostgresLink, work: (statements: Statements) => Promise<T>): Promise<T> {
    const query = async <R>(text: string, ...values: readonly PostgresValue[]) =>
      (await link.query(timed(text), values)) as readonly R[];
    try {
      return await asUndone(work({ query }));
    } catch (error) {
      if (!link.isBroken) await link.script("ROLLBACK").catch(() => link.close());
      throw error;
    }
  }

  return {
    time,
    query: (text, ...values) => retried(() => once(text, values), true),
    queryOnce: (text, ...values) => retried(() => once(text, values), false),
    transaction: (work) => retried(() => transactOnce(work), false),
    connect: (parts) => PostgresLink.open({ url, time, clock, ...parts }),
    async close() {
      ending.abort();
      await pool.close();
    },
  };
}

/** The server undoes an uncommitted transaction when its connection ends. */
async function asUndone<T>(within: Promise<T>): Promise<T> {
  try {
    return await within;
  } catch (error) {
    throw error instanceof ConnectionLost
      ? new ConnectionLost(error.message, false, { cause: error })
      : error;
  }
}
