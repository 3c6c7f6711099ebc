/**
 * The part of a store that resolves file paths. Only a store whose threads are rollout files has it: some wire members
 * name such files, and without the facet a handler refuses them.
 */
import type { Journal } from "./journal.ts";
import type { ThreadOrigin } from "./lines/thread-lines.ts";
import { type StoreRefusal, storeRefusal } from "./refusal.ts";

export interface FileFacet {
  /** Creates a thread in the legacy file format without ordinals, for clients that request it. */
  createLegacy(origin: ThreadOrigin): Journal;
  /** Resolves a path from the wire, which may be relative to the home. */
  resolve(path: string): string;
  /** Finds the thread whose rollout file is at this path. */
  locate(path: string): Promise<LocatedThread>;
  /**
   * Indexes a thread whose file lies outside of the home, without moving it; only a file in the legacy format, and only
   * if the store has no thread with its id.
   */
  adopt(path: string): Promise<void>;
  /** Whether both paths name the same file. A file may have been compressed since its path was recorded. */
  isSameFile(one: string, other: string): Promise<boolean>;
}

export type LocatedThread = { readonly kind: "found"; readonly threadId: string } | StoreRefusal;

/** The refusal of a path by a store without the facet. */
export function refusePath(path: string): StoreRefusal {
  return storeRefusal("input", `no thread is kept at ${path}: this server does not store threads in files`);
}
