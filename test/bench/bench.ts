import type { Program } from "../support/start-server.ts";
import type { TempHome } from "../support/temp-home.ts";

/** What a side needs in order to be measured. */
export type Bench = {
  readonly program: Program;
  /** Where homes are made. */
  readonly homes: string;
  /** A home on which the server has run before. */
  readonly usedHome: TempHome;
};
