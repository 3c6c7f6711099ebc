// The part of JSON Schema in which definitions are written, as the checker reads it, and what it makes of it.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  /** The name that a refusal uses, where it is not that of the definition. */
  readonly title?: string;
  readonly format?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly anyOf?: readonly Schema[];
  /** The member that says which of the alternatives an object is. */
  readonly discriminator?: { readonly propertyName: string };
  /** The names of all variants, in the order in which a refusal lists them. */
  readonly "x-variants"?: readonly string[];
  /** The name of the choice that alternatives with the same tag belong to. */
  readonly "x-either"?: string;
  /** Whether this alternative stands for the variants that nobody knows yet. */
  readonly "x-open"?: true;
  /** The member whose presence decides between the first and the second alternative. */
  readonly "x-tag"?: string;
  /** How a refusal names the member for a client without the experimental capability. */
  readonly "x-experimental"?: string;
  readonly "x-heddle"?: true;
}

export function isNullSchema(schema: Schema): boolean {
  return schema.type === "null";
}

/** What is left of a nullable schema without null; null for one that does not admit null. */
export function nonNull(schema: Schema): Schema | null {
  const { anyOf } = schema;
  if (anyOf?.length !== 2 || !anyOf.some(isNullSchema)) return null;
  return anyOf.find((one) => !isNullSchema(one)) ?? null;
}

/** Null where the value fits, else the reason. */
export type Check = (value: unknown) => string | null;

export interface Compiler {
  /** `name` is how a refusal calls a value that has no name of its own. */
  compile(schema: Schema, name: string): Check;
}
