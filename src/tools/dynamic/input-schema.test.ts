import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readInputSchema } from "./input-schema.ts";

describe("the schema of a tool's input", () => {
  it.each([
    [{ type: "object" }, { type: "object", properties: {} }],
    [true, { type: "string" }],
    [{}, {}],
    [{ title: "x" }, {}],
    [{ required: ["a"] }, { type: "object", properties: {}, required: ["a"] }],
    [{ items: { const: 1 } }, { type: "array", items: { type: "string", enum: [1] } }],
    [{ type: "array" }, { type: "array", items: { type: "string" } }],
    [{ minimum: 3 }, { type: "number" }],
    [{ type: ["string", "null", "odd"], default: 3 }, { type: ["string", "null"] }],
    [{ anyOf: [true, { type: "integer" }] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
    [
      { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "string" }, B: {} } },
      { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: "string" } } },
    ],
    [
      { type: "object", $defs: { B: {} } },
      { type: "object", properties: {} },
    ],
  ])("%j becomes %j", (given, schema) => {
    expect(readInputSchema(given)).toStrictEqual({ kind: "schema", schema });
  });

  it("can be any JSON, and what came out is not changed by another reading", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const read = readInputSchema(given);
        if (read.kind === "schema") expect(readInputSchema(read.schema)).toStrictEqual(read);
      }),
    );
  });
});
