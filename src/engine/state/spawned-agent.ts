import type { RightsCeiling } from "./settings.ts";

/** The family position and rights of a thread that another thread has spawned. */
export interface SpawnedAgent {
  readonly parentThreadId: string;
  /** The root thread of the family. */
  readonly sessionId: string;
  /** The number of ancestors. */
  readonly depth: number;
  /** Its path name within the family; null where agents are addressed by id. */
  readonly path: string | null;
  readonly nickname: string | null;
  readonly role: string | null;
  readonly ceiling: RightsCeiling;
}
