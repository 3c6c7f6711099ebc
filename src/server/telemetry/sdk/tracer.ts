/** The port to whatever keeps spans, in the terms of W3C Trace Context. */

/** A span that others can be below of. */
export interface SpanContext {
  /** 32 digits in hexadecimal. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** What systems on the way have added; null where there is nothing. */
  readonly traceState: string | null;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface NewSpan {
  /** One of a few: what tells spans of one name apart is in their attributes. */
  readonly name: string;
  readonly kind: "internal" | "client" | "server";
  /** Null for the first of a trace. */
  readonly parent: SpanContext | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly attributes: Attributes;
}

export interface OpenSpan {
  readonly context: SpanContext;
  /** Once. The error is a word for its kind; null where all went well. */
  end(atMs: number, result: { readonly error: string | null; readonly attributes: Attributes }): void;
}

export interface Tracer {
  start(span: NewSpan): OpenSpan;
}
