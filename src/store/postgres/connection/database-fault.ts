/** Faults of a PostgreSQL server: what may be tried again, and messages for people, which never quote the address. */
import { AppError, connectionErrorText } from "../../../base/errors.ts";

/** The connection was lost. */
export class ConnectionLost extends AppError<"store.unavailable"> {
  /** Whether the statement may have taken effect. */
  readonly mayHaveRun: boolean;

  constructor(message: string, mayHaveRun: boolean, options?: ErrorOptions) {
    super("store.unavailable", message, options);
    this.mayHaveRun = mayHaveRun;
  }
}

const LOST_CODES: ReadonlySet<string> = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "CONNECT_TIMEOUT",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  // The server ends this session, shuts down or starts, or has no room for another session.
  "25P03",
  "57P01",
  "57P02",
  "57P03",
  "53300",
]);

export function sqlStateOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (typeof code === "string") return code;
  const [first] = error instanceof AggregateError ? error.errors : [];
  return first === undefined ? "" : sqlStateOf(first);
}

/** Whether an error means that the session is over. Class 08 has the errors of connections. */
export function isConnectionFault(error: unknown): boolean {
  const code = sqlStateOf(error);
  return LOST_CODES.has(code) || /^08.{3}$/.test(code);
}

/** A serialization failure or a deadlock: the server has undone everything. */
export function isConflict(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === "40001" || code === "40P01";
}

const ADVICE: Readonly<Record<string, string>> = {
  "28000": "check the user in the address of the store",
  "28P01": "check the password in the address of the store",
  "3D000": "create the database first",
  "42501": "let the user of the store create tables in the database",
  "53100": "free some space on the disk of the database",
  "25006": "the store needs a server that takes writes, not a standby",
};

/** Describes a fault for an operator; null for one that an operator cannot resolve. */
export function describePostgresFault(error: unknown): string | null {
  if (error instanceof AppError && error.code.startsWith("store.")) return error.message;
  const advice = ADVICE[sqlStateOf(error)];
  if (advice !== undefined) return `cannot use the database: ${connectionErrorText(error)}; ${advice}`;
  return isConnectionFault(error) ? unreachable(error) : null;
}

export function unreachable(error: unknown): string {
  return `the database cannot be reached: ${connectionErrorText(error)}; check that it runs, and its address in --store or [store] url`;
}
