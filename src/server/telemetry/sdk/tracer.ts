/** The port to a tracing backend, in the terms of W3C Trace Context. */

/** The context of a span, as the parent of other spans. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** `tracestate` of the request; null if there is none. */
  readonly traceState: string | null;
}

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface NewSpan {
  /** Names have low cardinality; what distinguishes spans of one name is in their attributes. */
  readonly name: string;
  readonly kind: "internal" | "client" | "server";
  /** Null for a root span. */
  readonly parent: SpanContext | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly attributes: Attributes;
}

export interface OpenSpan {
  readonly context: SpanContext;
  /** Must be called once. `error` is the kind of error; null if there was none. */
  end(atMs: number, result: { readonly error: string | null; readonly attributes: Attributes }): void;
}

export interface Tracer {
  start(span: NewSpan): OpenSpan;
}
