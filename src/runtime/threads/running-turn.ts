/** A running turn, in a file of its own because the type is part of the package's declarations. */
export interface RunningTurn {
  readonly threadId: string;
  readonly turnId: string;
  /** The turn waits for an answer of a client. */
  readonly isAsking: boolean;
}
