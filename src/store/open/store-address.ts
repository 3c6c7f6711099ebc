/** Where a store keeps what it is given: the folder of a home, `memory:`, or the URL of a database. */
import { AppError } from "../../base/errors.ts";

export type StoreAddress =
  /** Rollout files and a SQLite file in the folder of a home. */
  | { readonly kind: "files"; readonly home: string }
  /** The memory of this process. */
  | { readonly kind: "memory" };

const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** Throws in words where this version has nothing that could keep a store there. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text === "memory" || text === "memory:") return { kind: "memory" };
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: "files", home: text };
  const isPostgres = scheme === "postgres" || scheme === "postgresql";
  const name = isPostgres ? "PostgreSQL" : `"${scheme}:"`;
  const later = isPostgres ? "a later version will" : "use the folder of a home, or memory:";
  throw new AppError("store.unsupported", `this version cannot keep threads in ${name}: ${later}`);
}

/** The folder that a store is in; throws in words, which begin with who needs it, where it is in none. */
export function homeInFiles(where: string, purpose: string): string {
  const address = parseStoreAddress(where);
  if (address.kind === "files") return address.home;
  throw new AppError(
    "store.notFiles",
    `${purpose} needs threads that are kept in files, and ${where} has none`,
  );
}
