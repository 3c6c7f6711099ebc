/** How a thread is written: a head, each turn as it is read, and an end. */
import type { Turn } from "../../protocol/generated/types.ts";

export interface ExportFormat {
  readonly head: string;
  toText(turn: Turn): string | Promise<string>;
  /** Called after the last turn. */
  end(): string;
}
