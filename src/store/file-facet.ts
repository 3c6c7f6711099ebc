/**
 * The part of a store that knows of paths. Only a store whose threads are rollout files has it: the wire has members
 * that name such files, and a handler that meets one asks here, or refuses in words where there is no facet.
 */
import type { Journal } from "./journal.ts";
import type { ThreadOrigin } from "./lines/thread-lines.ts";
import { refuse, type StoreRefusal } from "./refusal.ts";

export interface FileFacet {
  /** A new thread in the format of files that has no ordinals, for clients that ask for it. */
  createLegacy(origin: ThreadOrigin): Journal;
  /** A path as the wire has it, which may be relative to the home. */
  resolve(path: string): string;
  /** The thread whose rollout file is at this path. */
  locate(path: string): Promise<LocatedThread>;
  /**
   * Indexes a thread whose file lies outside of the home, where it stays; only a file in the legacy format, and only
   * where the store has no thread of its id.
   */
  adopt(path: string): Promise<void>;
  /** Whether both paths lead to one file. A file may have been compressed since it was named. */
  isSameFile(one: string, other: string): Promise<boolean>;
}

export type LocatedThread = { readonly kind: "found"; readonly threadId: string } | StoreRefusal;

/** The answer to a path from a store without the facet. */
export function noFiles(path: string): StoreRefusal {
  return refuse("input", `no thread is kept at ${path}: this server keeps its threads in no files`);
}
