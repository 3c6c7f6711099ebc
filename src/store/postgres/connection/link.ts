/**
 * One connection. The driver reconnects by itself, which is not wanted: a statement of a transaction would run outside of
 * it, a statement after the loss would end the process, and the first one on a new connection gets the error of the old
 * one. So a link whose connection was lost is broken, and the pool opens another.
 */
import postgres from "postgres";
import type { Clock } from "../../../base/clock.ts";
import { AppError } from "../../../base/errors.ts";
import { ConnectionLost, isConnectionFault, unreachable } from "./database-fault.ts";
import type { StoreTime } from "./store-time.ts";

export type PostgresValue = string | number | boolean | null;
export type PostgresRow = Readonly<Record<string, unknown>>;

export interface PostgresLinkOptions {
  readonly url: string;
  /** For deadlines, which pass in real time. */
  readonly clock: Clock;
  readonly time: StoreTime;
  /** Called with the payload of each notification of a channel that the link listens to. */
  readonly onNotification?: (payload: string) => void;
  /** Called once, when the connection is lost or closed. */
  readonly onEnd?: () => void;
}

const CONNECT_TIMEOUT_SECONDS = 5;
/** A statement without an answer for so long counts as lost. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** Numbers beyond 2^53 are not stored. */
const NUMBERS = { to: 20, from: [20, 1700], serialize: String, parse: Number };

const FIRST = `
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
    current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version,
    current_setting('synchronous_commit') AS commit`;

/** The first one that says whether a transaction has been committed. */
const OLDEST_VERSION = 130_000;

export class PostgresLink {
  readonly #sql: postgres.Sql<{ numbers: number }>;
  readonly #clock: Clock;
  #isBroken = false;

  private constructor({ url, clock, onEnd, onNotification }: PostgresLinkOptions) {
    this.#clock = clock;
    // The `listen` of the driver opens a connection of its own, and reconnects.
    const notified = { onnotify: (_channel: string, payload: string) => onNotification?.(payload) };
    this.#sql = postgres(url, {
      ...notified,
      max: 1,
      // Arrays are passed as text: reading their types would be an unawaited statement.
      fetch_types: false,
      connect_timeout: CONNECT_TIMEOUT_SECONDS,
      max_lifetime: null,
      idle_timeout: 0,
      onnotice: () => {},
      onclose: () => {
        if (this.#isBroken) return;
        this.#isBroken = true;
        onEnd?.();
      },
      types: { numbers: NUMBERS },
      connection: { application_name: "heddle" },
    });
  }

  /** Rejects with `ConnectionLost` where there is no server. */
  static async open(options: PostgresLinkOptions): Promise<PostgresLink> {
    const link = new PostgresLink(options);
    const askedAt = options.clock.monotonic();
    try {
      const [row] = await link.#sql.unsafe(FIRST);
      options.time.observe(Number(row?.["now"]), options.clock.monotonic() - askedAt);
      const lack = lackOfServer(row ?? {});
      if (lack !== null) throw new AppError("store.unsuitable", lack);
      return link;
    } catch (error) {
      await link.close();
      throw isConnectionFault(error)
        ? new ConnectionLost(unreachable(error), false, { cause: error })
        : error;
    }
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Runs one statement with values. A lost connection is a `ConnectionLost`. */
  async query(text: string, values: readonly PostgresValue[]): Promise<readonly PostgresRow[]> {
    return this.#run(() => this.#sql.unsafe(text, values.map(storable), { prepare: true }));
  }

  /** Runs statements without values in one message; the rows are those of the last one. */
  async script(text: string): Promise<readonly PostgresRow[]> {
    const results = await this.#run(() => this.#sql.unsafe(text));
    const last: unknown = results.at(-1);
    return Array.isArray(last) ? (last as readonly PostgresRow[]) : results;
  }

  async close(): Promise<void> {
    this.#isBroken = true;
    await this.#sql.end({ timeout: 0 });
  }

  async #run(send: () => PromiseLike<readonly PostgresRow[]>): Promise<readonly PostgresRow[]> {
    if (this.#isBroken) throw new ConnectionLost("the connection to the database was lost", false);
    let cancel = (): void => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(STATEMENT_TIMEOUT_MS, () => {
        reject(new ConnectionLost("the database does not answer", true));
      });
    });
    try {
      return await Promise.race([send(), late]);
    } catch (error) {
      if (!(error instanceof ConnectionLost) && !isConnectionFault(error) && !this.#isBroken) throw error;
      this.#isBroken = true;
      throw error instanceof ConnectionLost
        ? error
        : new ConnectionLost(unreachable(error), true, { cause: error });
    } finally {
      cancel();
    }
  }
}

/** Why threads cannot be kept on a server; null if they can. */
function lackOfServer({ encoding, version, commit }: PostgresRow): string | null {
  if (Number(version) < OLDEST_VERSION) return "the store needs PostgreSQL 13 or later";
  if (encoding !== "UTF8") return "the store needs a database in UTF-8";
  // A server that acknowledges what it may lose breaks the promise that an answered request is stored.
  return commit === "off" ? "the store needs a database with synchronous_commit" : null;
}

/** The text type cannot hold the character U+0000. */
function storable(value: PostgresValue): PostgresValue {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}
