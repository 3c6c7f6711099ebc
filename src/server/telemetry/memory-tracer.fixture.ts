import type { Attributes, NewSpan, Tracer } from "./sdk/tracer.ts";

export interface KeptSpan extends NewSpan {
  readonly spanId: string;
  endedAtMs: number | null;
  error: string | null;
  found: Attributes;
}

/** Records spans in the order of their start. */
export function createMemoryTracer() {
  const spans: KeptSpan[] = [];
  const tracer: Tracer = {
    start(span) {
      const spanId = String(spans.length + 1).padStart(16, "0");
      const kept: KeptSpan = { ...span, spanId, endedAtMs: null, error: null, found: {} };
      spans.push(kept);
      const traceId = span.parent?.traceId ?? spanId.repeat(2);
      return {
        context: { traceId, spanId, isSampled: true, traceState: null },
        end(atMs, { error, attributes }) {
          if (kept.endedAtMs !== null) throw new Error(`${span.name} has ended before`);
          Object.assign(kept, { endedAtMs: atMs, error, found: attributes });
        },
      };
    },
  };
  return { tracer, spans, named: (name: string) => spans.filter((span) => span.name === name) };
}
