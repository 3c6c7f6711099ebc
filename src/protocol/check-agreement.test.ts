// The handwritten checker and Ajv must accept the same values for every schema.

import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createChecker } from "./check.ts";
import { definitions } from "./generated/table.ts";
import { nonNull, type Schema } from "./schema.ts";

const checker = createChecker(definitions);
const schemaOf = (name: string) => JSON.parse(definitions[name] ?? "{}") as Schema;

const ajv = new Ajv({ strict: false, formats: { ...numberFormats(), ...textFormats() } });
for (const name of Object.keys(definitions)) ajv.addSchema({ ...schemaOf(name), $id: name });

function numberFormats() {
  const names = ["uint16", "uint32", "uint64", "uint", "int32", "int64", "double"];
  return Object.fromEntries(names.map((name) => [name, true as const]));
}

function textFormats() {
  return {
    path: true as const,
    "reasoning-effort": true as const,
    "absolute-path": (text: string) => text.startsWith("/"),
    "path-uri": (text: string) => /^(?:\/|[A-Za-z]:[\\/]|\\\\|file:\/\/)/.test(text),
    "thread-id": (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  };
}

const samples: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "absolute-path": fc.constantFrom("/", "/a/b"),
  "path-uri": fc.constantFrom("/a", "C:\\a", "file:///a"),
  "thread-id": fc.constant("01984de2-8f74-7c91-a3b2-5c5e937cf318"),
  "reasoning-effort": fc.constantFrom("low", "high"),
};

/** Values that match the schema, or almost: occasionally a part is replaced. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 70_000, 2 ** 40, "", "x", [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return near(schemaOf(schema.$ref));
  const inner = nonNull(schema);
  if (inner !== null) return fc.option(near(inner), { freq: 3 });
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.type === "object") return objects(schema);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(near));
  return scalars(schema);
}

function objects({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, near(member)]));
  const known = fc
    .oneof(
      { weight: 6, arbitrary: fc.constant([...required]) },
      { weight: 1, arbitrary: fc.subarray([...required]) },
    )
    .chain((requiredKeys) => fc.record(members, { requiredKeys: [...requiredKeys] }));
  const others = additionalProperties
    ? fc.dictionary(fc.string({ maxLength: 3 }), near(additionalProperties), { maxKeys: 2 })
    : fc.dictionary(fc.constantFrom("zz", "constructor"), anything, { maxKeys: 1 });
  return fc.tuple(others, known).map(([more, value]) => ({ ...more, ...value }));
}

function scalars(schema: Schema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "array":
      return fc.array(near(schema.items ?? {}), { maxLength: 2 });
    case "string":
      return samples[schema.format ?? ""] ?? fc.string({ maxLength: 4 });
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(fc.nat(), fc.integer());
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    default:
      return anything;
  }
}

describe("the checker and Ajv agree", () => {
  it.each(Object.keys(definitions))("about %s", (name) => {
    const validate = ajv.getSchema(name);
    fc.assert(
      fc.property(near(schemaOf(name)), (made) => {
        const value: unknown = JSON.parse(JSON.stringify(made));
        expect(checker.check(name, value).ok).toBe(validate?.(value));
      }),
      { numRuns: 60, seed: 20_261_115 },
    );
  });
});
