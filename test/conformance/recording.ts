/** What one side did in one scenario: every message of each connection in order, and the facts that steps observed. */

export type Entry = {
  /** The connection, or `facts` for what is not a message: HTTP answers, exits, files. */
  readonly channel: string;
  /** What the entry is, stable between runs: `response LABEL`, a method, `request METHOD`, `http GET /readyz`. */
  readonly key: string;
  readonly value: unknown;
  /** For a message that came from the server: what the schema check needs to know. */
  readonly sent?: {
    readonly kind: "response" | "notification" | "request" | "other";
    readonly method: string | undefined;
  };
};

export type Recording = {
  readonly entries: readonly Entry[];
  /** Expectations of the scenario that did not hold, by entry. */
  readonly unmet: readonly { readonly entry: string; readonly text: string }[];
  /** Why the side did not get to the end. */
  readonly stalled?: string;
};

/** How an entry is named in reports and in the list of meant differences. */
export function entryName(entry: Pick<Entry, "channel" | "key">): string {
  return entry.channel === "main" || entry.channel === "facts" ? entry.key : `${entry.channel}: ${entry.key}`;
}
