/** One thing that was looked at. */
export interface Finding {
  readonly subject: string;
  readonly verdict: "ok" | "advice" | "problem";
  readonly says: string;
  /** What to do about it, or what was done. */
  readonly advice?: string;
  /** What is wrong with a file of the history. */
  readonly fault?: {
    readonly kind: string;
    readonly path: string;
    readonly line: number | null;
    readonly state: "found" | "mended" | "left";
    /** Where the old file is. */
    readonly keptAs: string | null;
  };
}
