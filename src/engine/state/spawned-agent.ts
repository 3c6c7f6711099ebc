import type { RightsCeiling } from "./settings.ts";

/** A thread that another thread has spawned, for a task of its own. */
export interface SpawnedAgent {
  readonly parentThreadId: string;
  /** The first thread of the family, which a user talks with. */
  readonly sessionId: string;
  /** How many threads are above it. */
  readonly depth: number;
  /** Its name among the agents of the family; null where they are known by their ids. */
  readonly path: string | null;
  readonly nickname: string | null;
  readonly role: string | null;
  readonly ceiling: RightsCeiling;
}
