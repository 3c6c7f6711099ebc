// The subset of JSON Schema that the checker reads, and the functions that it compiles to.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  /** The name in error messages, if it differs from that of the definition. */
  readonly title?: string;
  readonly format?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly anyOf?: readonly Schema[];
  /** The member that selects the alternative of an object. */
  readonly discriminator?: { readonly propertyName: string };
  /** The names of all variants, in the order of error messages. */
  readonly "x-variants"?: readonly string[];
  /** The name of the choice to which alternatives with the same tag belong. */
  readonly "x-either"?: string;
  /** Whether this alternative matches unknown variants. */
  readonly "x-open"?: true;
  /** The member whose presence selects the first or the second alternative. */
  readonly "x-tag"?: string;
  /** The name of the member in errors for a client without the experimental capability. */
  readonly "x-experimental"?: string;
  readonly "x-heddle"?: true;
}

export function isNullSchema(schema: Schema): boolean {
  return schema.type === "null";
}

/** A nullable schema without null; null if the schema does not admit null. */
export function nonNull(schema: Schema): Schema | null {
  const { anyOf } = schema;
  if (anyOf?.length !== 2 || !anyOf.some(isNullSchema)) return null;
  return anyOf.find((one) => !isNullSchema(one)) ?? null;
}

/** Null if the value fits, else the error. */
export type Check = (value: unknown) => string | null;

export interface Compiler {
  /** `name` is used in errors about a value without a named definition. */
  compile(schema: Schema, name: string): Check;
}
