/** The result of one check. */
export interface Finding {
  readonly subject: string;
  readonly verdict: "ok" | "advice" | "problem";
  readonly message: string;
  /** The remedy, or what was done. */
  readonly advice?: string;
  /** A fault of a history file. */
  readonly fault?: {
    readonly kind: string;
    readonly path: string;
    readonly line: number | null;
    readonly state: "found" | "mended" | "left";
    /** The path of the backup. */
    readonly keptAs: string | null;
  };
}
