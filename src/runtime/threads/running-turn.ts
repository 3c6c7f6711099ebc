/** A turn that runs, for whoever waits for it to end. Declared by itself, because it is part of the package's types. */
export interface RunningTurn {
  readonly threadId: string;
  readonly turnId: string;
  /** It waits for an answer of a client. */
  readonly isAsking: boolean;
}
