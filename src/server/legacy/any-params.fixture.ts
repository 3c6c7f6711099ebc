/** Arbitrary values for the definitions of the published schema, for property tests over all messages. */
import { readFileSync } from "node:fs";
import fc from "fast-check";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
}

interface Published {
  readonly definitions: Readonly<Record<string, Schema>>;
}

interface PublishedMethods {
  readonly notifications: readonly { readonly method: string; readonly params: string }[];
}

const read = (name: string) => JSON.parse(readFileSync(`schema/${name}`, "utf8")) as unknown;

/** Every notification with an arbitrary of its params. */
export function everyNotification(): (readonly [method: string, params: fc.Arbitrary<object>])[] {
  const { definitions } = read("heddle.schemas.json") as Published;
  const { notifications } = read("methods.json") as PublishedMethods;
  const known = new Map<string, fc.Arbitrary<unknown>>();

  /** Created lazily, because definitions may be recursive. */
  function named(name: string): fc.Arbitrary<unknown> {
    return fc.constant(null).chain(() => {
      const made = known.get(name) ?? toArbitrary(definitions[name] ?? {});
      known.set(name, made);
      return made;
    });
  }

  function toArbitrary(schema: Schema): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined) return named(schema.$ref.replace("#/definitions/", ""));
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(toArbitrary));
    switch (schema.type) {
      case "string":
        return fc.string({ maxLength: 12 });
      case "integer":
      case "number":
        return fc.integer({ min: Math.max(schema.minimum ?? 0, -1000), max: 100_000 });
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return fc.array(toArbitrary(schema.items ?? {}), { maxLength: 2 });
      case "object":
        return toObject(schema);
      default:
        return fc.jsonValue({ maxDepth: 1 });
    }
  }

  function toObject({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
    if (typeof additionalProperties === "object") {
      return fc.dictionary(fc.string({ maxLength: 6 }), toArbitrary(additionalProperties), { maxKeys: 2 });
    }
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, toArbitrary(schema)]),
    );
    return fc.record(members, { requiredKeys: [...required] });
  }

  return notifications.map(({ method, params }) => [method, named(params) as fc.Arbitrary<object>]);
}
