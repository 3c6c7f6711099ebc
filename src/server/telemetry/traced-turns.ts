/** The spans of turns that run, and of what has begun in them. */
import type { Clock } from "../../base/clock.ts";
import type { Attributes, NewSpan, OpenSpan, SpanContext, Tracer } from "./sdk/tracer.ts";

export interface StartSpanOptions {
  readonly tracer: Tracer;
  readonly clock: Pick<Clock, "now">;
  /** Of every span. */
  readonly attributes: Attributes;
}

/** A span that begins at a time, which is now unless said otherwise. */
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
  /** Also ends what has begun in it and not ended. */
  end(turnId: string, result: Result): void;
  has(turnId: string): boolean;
  /** Something in the turn, under a key that tells it apart; nothing where the turn is not known. */
  beginPart(turnId: string, key: string, span: Pick<NewSpan, "name" | "kind" | "attributes">): void;
  endPart(turnId: string, key: string, result: Result): void;
  /** What a new span is below of: the part, or else the turn; null where neither is known. */
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
