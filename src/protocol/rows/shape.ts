// The vocabulary for declaring messages. Every function returns a TypeBox schema, so that declarations are JSON Schema;
// nothing here is loaded at run time.

import { type TSchema, Type } from "typebox";

export type Shape = TSchema;
type Fields = Record<string, Shape>;

/** Returns a copy with further keywords; TypeBox stores symbols in properties that a spread would lose. */
function annotate(shape: Shape, keywords: Record<string, unknown>): Shape {
  return Object.assign(Object.create(Object.prototype, Object.getOwnPropertyDescriptors(shape)), keywords);
}

/** Annotates one use of a shape; a named shape is wrapped, because its own keywords belong to the definition. */
function note(shape: Shape, keywords: Record<string, unknown>): Shape {
  if (!("$id" in shape)) return annotate(shape, keywords);
  const wrapped = Type.Unsafe({ allOf: [shape], ...keywords });
  return Type.IsOptional(shape) ? Type.Optional(wrapped) : wrapped;
}

/** Names a shape; other uses refer to it by this name. */
export function define(name: string, shape: Shape, summary?: string): Shape {
  return annotate(shape, summary === undefined ? { $id: name } : { $id: name, description: summary });
}

export const string = (): Shape => Type.String();
export const boolean = (): Shape => Type.Boolean();
export const number = (): Shape => Type.Number({ format: "double" });
export const anyJson = (): Shape => Type.Unknown();

/** A path of the operating system. */
export const path = (): Shape => Type.String({ format: "path" });

/** An absolute path of any operating system, or a file URL. */
export const pathUri = (): Shape => Type.String({ format: "path-uri" });

/** An absolute path of the server's operating system. */
export const absolutePath = (): Shape => Type.String({ format: "absolute-path" });

/** A reasoning effort; its values depend on the provider. */
export const effort = (): Shape => Type.String({ format: "reasoning-effort", minLength: 1 });

/** A thread id that must be a UUID. */
export const uuid = (): Shape => Type.String({ format: "thread-id" });

const integer = (format: string, minimum: number, maximum: number): Shape =>
  Type.Integer({ format, minimum, maximum });

export const u16 = (): Shape => integer("uint16", 0, 0xffff);
export const u32 = (): Shape => integer("uint32", 0, 0xffff_ffff);
export const u64 = (): Shape => integer("uint64", 0, 2 ** 64);
export const usize = (): Shape => integer("uint", 0, 2 ** 64);
export const i32 = (): Shape => integer("int32", -(2 ** 31), 2 ** 31 - 1);
export const i64 = (): Shape => integer("int64", -(2 ** 63), 2 ** 63);

export const array = (item: Shape): Shape => Type.Array(item);
export const map = (value: Shape): Shape => Type.Object({}, { additionalProperties: value });
export const object = (fields: Fields): Shape => Type.Object(fields);

/** An object with known members, and any number of others of one shape. */
export const openObject = (fields: Fields, others: Shape): Shape =>
  Type.Object(fields, { additionalProperties: others });

/** An object that rejects unknown members. */
export const closedObject = (fields: Fields): Shape => Type.Object(fields, { additionalProperties: false });

/**
 * An object that needs all members of one of the groups. If none is complete, the members of the last group are
 * reported as missing.
 */
export const requireEither = (fields: Fields, ...groups: string[][]): Shape =>
  Type.Object(fields, { anyOf: groups.map((required) => ({ required })) });

/** One of a fixed set of strings, in the order of error messages. */
export const choice = (...words: string[]): Shape => Type.Enum(words);

/**
 * A value or null. In messages of clients, null and absent are equal; in messages of the server, the member is always
 * present.
 */
export const nullable = (shape: Shape): Shape => Type.Union([shape, Type.Null()]);

/** An optional member. */
export const optional = (shape: Shape): Shape => Type.Optional(shape);

/** An optional member with its default. */
export const byDefault = (value: unknown, shape: Shape): Shape => note(optional(shape), { default: value });

/** A member with a description. */
export const described = (summary: string, shape: Shape): Shape => note(shape, { description: summary });

/** A member that must be present even if it is null. */
export const present = (shape: Shape): Shape => note(shape, { "x-present": true });

/** A variant without content. */
export const unit: unique symbol = Symbol("unit");

/** A variant with common members and one of several sets of further members. */
interface Either {
  readonly name: string;
  readonly common: Fields;
  readonly sets: readonly Fields[];
}

/** `name` is the name of the choice in error messages. */
export const either = (name: string, common: Fields, ...sets: Fields[]): Either => ({ name, common, sets });

/** A variant that requires the experimental capability. */
interface Gated {
  readonly reason: string;
  readonly fields: Fields;
}

export const gated = (reason: string, fields: Fields): Gated => ({ reason, fields });

type Variant = Fields | Either | Gated;

const isEither = (variant: Variant): variant is Either => "sets" in variant && Array.isArray(variant.sets);
const isGated = (variant: Variant): variant is Gated =>
  "reason" in variant && typeof variant.reason === "string";

/** An object whose member `tag` selects the variant; `common` members are in all of them. */
export function tagged(tag: string, variants: Record<string, Variant>, common: Fields = {}): Shape {
  return Type.Unsafe({
    anyOf: Object.entries(variants).flatMap(([word, variant]) => {
      const head = { [tag]: Type.Literal(word), ...common };
      if (isEither(variant)) {
        const { name, sets } = variant;
        return sets.map((set) => Type.Object({ ...head, ...variant.common, ...set }, { "x-either": name }));
      }
      if (isGated(variant)) {
        return [Type.Object({ ...head, ...variant.fields }, { "x-experimental": variant.reason })];
      }
      return [Type.Object({ ...head, ...variant })];
    }),
    discriminator: { propertyName: tag },
  });
}

/** As `tagged`, but unknown variants are accepted. */
export function openTagged(tag: string, variants: Record<string, Variant>): Shape {
  const known = tagged(tag, variants);
  const { anyOf } = known as unknown as { anyOf: Shape[] };
  const unknown = Type.Unsafe({ type: "string", not: { enum: Object.keys(variants) } });
  return annotate(known, { anyOf: [...anyOf, Type.Object({ [tag]: unknown }, { "x-open": true })] });
}

/** The first shape if the value has the member `tag`, else the second. */
export const byTag = (tag: string, withTag: Shape, withoutTag: Shape): Shape =>
  Type.Union([withTag, withoutTag], { "x-tag": tag });

/** An object without the member `tag`. */
export const untagged = (tag: string, fields: Fields): Shape =>
  Type.Object(fields, { not: { required: [tag] } });

/** A variant with content, or only its name. */
interface OrUnit {
  readonly carried: Shape;
}

export const orUnit = (carried: Shape): OrUnit => ({ carried });

const isOrUnit = (variant: object): variant is OrUnit => "carried" in variant;

/** A string, or an object with exactly one member: the name of the variant and its content. */
export function variants(all: Record<string, Shape | OrUnit | typeof unit>): Shape {
  const entries = Object.entries(all);
  const words = entries.filter(([, variant]) => variant === unit || isOrUnit(variant)).map(([name]) => name);
  const carriers = entries.flatMap(([name, variant]) => {
    if (variant === unit) return [];
    const carried = isOrUnit(variant) ? variant.carried : variant;
    return [Type.Object({ [name]: carried }, { additionalProperties: false })];
  });
  return Type.Unsafe({ anyOf: [Type.Enum(words), ...carriers], "x-variants": Object.keys(all) });
}

/** The first of several shapes that fits. */
export const anyOf = (...shapes: Shape[]): Shape => Type.Union(shapes);

/** A member or variant that requires the experimental capability; `reason` is its name in error messages. */
export const experimental = (reason: string, shape: Shape): Shape =>
  note(shape, { "x-experimental": reason });

/** Replaces the name of the definition in error messages. */
export const titled = (title: string, shape: Shape): Shape => annotate(shape, { title });

/** A member that the peer's protocol does not have. */
export const heddle = (summary: string, shape: Shape): Shape =>
  note(shape, { "x-heddle": true, description: summary });
