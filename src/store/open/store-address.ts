/** The address of a store: the folder of a home, or `memory:`. */
import { AppError } from "../../base/errors.ts";

export type StoreAddress =
  /** Rollout files and a SQLite database in a home. */
  | { readonly kind: "files"; readonly home: string }
  /** The memory of this process. */
  | { readonly kind: "memory" };

const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** Throws an error with a message for users if no backend supports the address. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text === "memory" || text === "memory:") return { kind: "memory" };
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: "files", home: text };
  const isPostgres = scheme === "postgres" || scheme === "postgresql";
  const name = isPostgres ? "PostgreSQL" : `"${scheme}:"`;
  const later = isPostgres ? "a later version will" : "use the folder of a home, or memory:";
  throw new AppError("store.unsupported", `this version cannot keep threads in ${name}: ${later}`);
}

/** The home of a store in files; otherwise throws an error that names the purpose. */
export function homeInFiles(where: string, purpose: string): string {
  const address = parseStoreAddress(where);
  if (address.kind === "files") return address.home;
  throw new AppError(
    "store.notFiles",
    `${purpose} needs threads that are kept in files, and ${where} has none`,
  );
}
