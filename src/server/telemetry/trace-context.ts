/** The trace of a client's request, in the format of W3C Trace Context. Invalid values are ignored. */
import type { Environment } from "../../base/environment.ts";
import { isObject } from "../../base/json-object.ts";
import type { SpanContext } from "./sdk/tracer.ts";

const TRACE_PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/u;
/** Longer values are ignored; the standard requires that 512 characters of a state are propagated. */
const MAX_PARENT = 256;
const MAX_STATE = 512;
const SAMPLED = 1;

/** Reads the `trace` member of a request. */
export function parseTrace(trace: unknown): SpanContext | null {
  if (!isObject(trace)) return null;
  const own = (name: string): unknown => (Object.hasOwn(trace, name) ? trace[name] : undefined);
  return parseTraceContext(own("traceparent"), own("tracestate"));
}

/** The trace that started the server; the parent of requests without a trace. */
export function traceOfEnvironment(env: Environment): SpanContext | null {
  return parseTraceContext(env["TRACEPARENT"], env["TRACESTATE"]);
}

function parseTraceContext(parent: unknown, state: unknown): SpanContext | null {
  const match =
    typeof parent === "string" && parent.length <= MAX_PARENT ? TRACE_PARENT.exec(parent.trim()) : null;
  if (match === null) return null;
  const [, version, traceId = "", spanId = "", flags = "", more] = match;
  // Only later versions may have further fields.
  if (version === "ff" || (version === "00" && more !== undefined)) return null;
  if (isZero(traceId) || isZero(spanId)) return null;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId, spanId, isSampled, traceState: parseState(state) };
}

function isZero(digits: string): boolean {
  return /^0+$/u.test(digits);
}

function parseState(state: unknown): string | null {
  return typeof state === "string" && state !== "" && state.length <= MAX_STATE ? state : null;
}
