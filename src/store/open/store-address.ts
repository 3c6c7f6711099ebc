/** The address of a store: the folder of a home, the URL of a PostgreSQL database, or `memory:`. */
import { AppError } from "../../base/errors.ts";

export type StoreAddress =
  /** Rollout files and a SQLite database in a home. */
  | { readonly kind: "files"; readonly home: string }
  /** A database that several machines may share. */
  | { readonly kind: "postgres"; readonly url: string }
  /** The memory of this process. */
  | { readonly kind: "memory" };

const SCHEME = /^([a-z][a-z0-9+.-]+):/i;
const POSTGRES = new Set(["postgres", "postgresql"]);

/** Throws an error with a message for users if no backend supports the address. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text === "memory" || text === "memory:") return { kind: "memory" };
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: "files", home: text };
  if (POSTGRES.has(scheme) && text.startsWith("//", scheme.length + 1) && URL.canParse(text))
    return { kind: "postgres", url: text };
  if (POSTGRES.has(scheme))
    throw new AppError(
      "store.address",
      "the address of the store is not a URL such as postgres://host/database",
    );
  throw new AppError(
    "store.unsupported",
    `this version cannot keep threads in "${scheme}:": use the folder of a home, postgres://, or memory:`,
  );
}

/** The address for people, without user, password and parameters. */
export function describeStoreAddress(text: string): string {
  const address = parseStoreAddress(text);
  if (address.kind !== "postgres") return text;
  const { protocol, host, pathname } = new URL(address.url);
  return `${protocol}//${host}${pathname}`;
}

/** The home of a store in files; otherwise throws an error that names the purpose. */
export function homeInFiles(where: string, purpose: string): string {
  const address = parseStoreAddress(where);
  if (address.kind === "files") return address.home;
  throw new AppError(
    "store.notFiles",
    `${purpose} needs threads that are kept in files, and ${describeStoreAddress(where)} has none`,
  );
}
