import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTrace, traceOfEnvironment } from "./trace-context.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const parentOf = (version: string, flags: string, more = "") =>
  `${version}-${TRACE_ID}-${SPAN_ID}-${flags}${more}`;
const CONTEXT = { traceId: TRACE_ID, spanId: SPAN_ID, isSampled: true, traceState: null };

test.each([
  ["a sampled one", { traceparent: parentOf("00", "01") }, CONTEXT],
  ["one that is not", { traceparent: parentOf("00", "00") }, { ...CONTEXT, isSampled: false }],
  ["with other flags", { traceparent: parentOf("00", "03") }, CONTEXT],
  [
    "with a state",
    { traceparent: parentOf("00", "01"), tracestate: "a=b" },
    { ...CONTEXT, traceState: "a=b" },
  ],
  [
    "with a state that is too long",
    { traceparent: parentOf("00", "01"), tracestate: "a".repeat(513) },
    CONTEXT,
  ],
  ["with a state that is none", { traceparent: parentOf("00", "01"), tracestate: { a: 1 } }, CONTEXT],
  ["of a later version that says more", { traceparent: parentOf("01", "01", "-more") }, CONTEXT],
  ["of this version that says more", { traceparent: parentOf("00", "01", "-more") }, null],
  ["of no version", { traceparent: parentOf("ff", "01") }, null],
  ["of no trace", { traceparent: `00-${"0".repeat(32)}-${SPAN_ID}-01` }, null],
  ["of no span", { traceparent: `00-${TRACE_ID}-${"0".repeat(16)}-01` }, null],
  ["in capitals", { traceparent: parentOf("00", "01").toUpperCase() }, null],
  ["that is too long", { traceparent: parentOf("01", "01", `-${"a".repeat(300)}`) }, null],
  ["without a parent", { tracestate: "a=b" }, null],
  ["that is inherited", Object.create({ traceparent: parentOf("00", "01") }) as object, null],
  ["that is no object", parentOf("00", "01"), null],
])("a trace %s", (_, trace, expected) => {
  expect(parseTrace(trace)).toEqual(expected);
});

test("the environment has a trace of its own", () => {
  const env = { TRACEPARENT: parentOf("00", "01"), TRACESTATE: "a=b" };
  expect(traceOfEnvironment(env)).toEqual({ ...CONTEXT, traceState: "a=b" });
  expect(traceOfEnvironment({})).toBeNull();
});

test("whatever is sent as a trace, it is a trace or nothing", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.string(), (whole, parent, state) => {
      for (const trace of [whole, { traceparent: parent, tracestate: state }]) {
        const context = parseTrace(trace);
        if (context !== null)
          expect(`${context.traceId}-${context.spanId}`).toMatch(/^[\da-f]{32}-[\da-f]{16}$/u);
      }
    }),
  );
});
