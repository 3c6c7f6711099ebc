/** Open spans of running turns, and of the model requests and calls in them. */
import type { Clock } from "../../base/clock.ts";
import type { Attributes, NewSpan, OpenSpan, SpanContext, Tracer } from "./sdk/tracer.ts";

export interface StartSpanOptions {
  readonly tracer: Tracer;
  readonly clock: Pick<Clock, "now">;
  /** Added to every span. */
  readonly attributes: Attributes;
}

/** Starts a span; `startedAtMs` defaults to now. */
export type StartSpan = (span: Omit<NewSpan, "startedAtMs">, startedAtMs?: number) => OpenSpan;

export function createStart({ tracer, clock, attributes }: StartSpanOptions): StartSpan {
  return (span, startedAtMs = clock.now()) =>
    tracer.start({ ...span, startedAtMs, attributes: { ...attributes, ...span.attributes } });
}

interface Result {
  readonly error: string | null;
  readonly attributes: Attributes;
}

export interface TracedTurns {
  begin(turnId: string, parent: SpanContext | null, attributes: Attributes): void;
  /** Also ends the open parts of the turn. */
  end(turnId: string, result: Result): void;
  has(turnId: string): boolean;
  /** Starts a span within the turn, under a key that identifies it; ignored if the turn is unknown. */
  beginPart(turnId: string, key: string, span: Pick<NewSpan, "name" | "kind" | "attributes">): void;
  endPart(turnId: string, key: string, result: Result): void;
  /** The parent for a new span: the part with this key, or else the turn; null if neither is open. */
  parentIn(turnId: string, key: string | null): SpanContext | null;
}

interface TracedTurn {
  readonly span: OpenSpan;
  readonly parts: Map<string, OpenSpan>;
}

export function createTracedTurns(start: StartSpan, clock: Pick<Clock, "now">): TracedTurns {
  const turns = new Map<string, TracedTurn>();
  return {
    begin(turnId, parent, attributes) {
      const span = start({ name: "turn", kind: "server", parent, attributes });
      turns.set(turnId, { span, parts: new Map() });
    },
    end(turnId, result) {
      const turn = turns.get(turnId);
      turns.delete(turnId);
      const atMs = clock.now();
      for (const left of turn?.parts.values() ?? []) left.end(atMs, { error: null, attributes: {} });
      turn?.span.end(atMs, result);
    },
    has: (turnId) => turns.has(turnId),
    beginPart(turnId, key, span) {
      const turn = turns.get(turnId);
      turn?.parts.set(key, start({ ...span, parent: turn.span.context }));
    },
    endPart(turnId, key, result) {
      const parts = turns.get(turnId)?.parts;
      parts?.get(key)?.end(clock.now(), result);
      parts?.delete(key);
    },
    parentIn(turnId, key) {
      const turn = turns.get(turnId);
      const part = key === null ? undefined : turn?.parts.get(key);
      return (part ?? turn?.span)?.context ?? null;
    },
  };
}
