/** What the model is told of one payload. A body beats a reference. */
export interface ContextEntry {
  readonly payload_id: string;
  readonly payload_kind: string;
  readonly body?: string;
  readonly body_ref?: string;
}

/** Texts of a result have no sender that named them. */
export function entriesOfTexts(texts: readonly string[]): ContextEntry[] {
  return texts.map((body, index) => ({
    payload_id: `context-${index + 1}`,
    payload_kind: "context",
    body,
  }));
}
