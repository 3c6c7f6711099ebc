// Compiles JSON Schema to functions that accept a value or return the error of the peer's deserializer, in its wording
// and order: members are checked in the order of the message, missing ones are reported last.

import { compileMembers, compilePositions, type PositionsCheck } from "./compile-members.ts";
import { compileScalar, describeValue } from "./compile-scalar.ts";
import { compileEnum, compileTagged, compileUntagged, compileVariants } from "./compile-union.ts";
import { type Check, type Compiler, nonNull, type Schema } from "./schema.ts";

export function createCompiler(refer: (definition: string) => Check): Compiler {
  const compiler: Compiler = {
    compile(schema, name) {
      if (schema.$ref !== undefined) return refer(schema.$ref);
      const inner = nonNull(schema);
      if (inner !== null) return compileNullable(compiler.compile(inner, name));
      const title = schema.title ?? name;
      if (schema.enum !== undefined) return compileEnum(schema.enum);
      if (schema["x-variants"] !== undefined) return compileVariants(schema, title, compiler);
      if (schema.discriminator !== undefined) return compileTagged(schema, title, compiler);
      if (schema.type === "object") return compileObject(schema, title, compiler);
      if (schema.anyOf !== undefined) return compileUntagged(schema, title, compiler);
      if (schema.type === "array") return compileArray(compiler.compile(schema.items ?? {}, name));
      return compileScalar(schema);
    },
  };
  return compiler;
}

const compileNullable =
  (inner: Check): Check =>
  (value) =>
    value === null || value === undefined ? null : inner(value);

const compileArray =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return `invalid type: ${describeValue(value)}, expected a sequence`;
    for (const element of value) {
      const problem = item(element);
      if (problem !== null) return problem;
    }
    return null;
  };

function compileObject(schema: Schema, title: string, compiler: Compiler): Check {
  const { properties = {}, additionalProperties } = schema;
  const others = additionalProperties ? compiler.compile(additionalProperties, title) : null;
  if (others !== null && Object.keys(properties).length === 0) return compileMap(others);
  const members = compileMembers(schema, title, compiler);
  let positions: PositionsCheck | null = null;
  return (value) => {
    if (typeof value !== "object" || value === null) {
      return `invalid type: ${describeValue(value)}, expected struct ${title}`;
    }
    if (!Array.isArray(value)) return members(value as Readonly<Record<string, unknown>>);
    positions ??= compilePositions(schema, `struct ${title}`, compiler);
    return positions(value);
  };
}

const compileMap =
  (item: Check): Check =>
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `invalid type: ${describeValue(value)}, expected a map`;
    }
    for (const element of Object.values(value)) {
      const problem = item(element);
      if (problem !== null) return problem;
    }
    return null;
  };
