// The vocabulary in which messages are declared. Every function returns a TypeBox schema, so a declaration
// is JSON Schema from the start; nothing here is loaded at run time.

import { type TSchema, Type } from "typebox";

export type Shape = TSchema;
type Fields = Record<string, Shape>;

/** A copy with further keywords; TypeBox keeps its own marks in properties that a spread would lose. */
function annotate(shape: Shape, keywords: Record<string, unknown>): Shape {
  return Object.assign(Object.create(Object.prototype, Object.getOwnPropertyDescriptors(shape)), keywords);
}

/** Notes about one use of a shape; a named shape is wrapped, because its own keywords belong to its name. */
function note(shape: Shape, keywords: Record<string, unknown>): Shape {
  if (!("$id" in shape)) return annotate(shape, keywords);
  const wrapped = Type.Unsafe({ allOf: [shape], ...keywords });
  return Type.IsOptional(shape) ? Type.Optional(wrapped) : wrapped;
}

/** Gives a shape a name of its own; wherever it is used again, only the name appears. */
export function define(name: string, shape: Shape, summary?: string): Shape {
  return annotate(shape, summary === undefined ? { $id: name } : { $id: name, description: summary });
}

export const string = (): Shape => Type.String();
export const boolean = (): Shape => Type.Boolean();
export const number = (): Shape => Type.Number({ format: "double" });
export const anyJson = (): Shape => Type.Unknown();

/** A path as the operating system takes it. */
export const path = (): Shape => Type.String({ format: "path" });

/** An absolute path of any operating system, or a file URL. */
export const pathUri = (): Shape => Type.String({ format: "path-uri" });

/** A path that names the same file wherever the server runs from. */
export const absolutePath = (): Shape => Type.String({ format: "absolute-path" });

/** The name of a reasoning effort; providers have their own. */
export const effort = (): Shape => Type.String({ format: "reasoning-effort", minLength: 1 });

/** The id of a thread where the wire insists on a UUID. */
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

/** An object with some known members and any number of others of one shape. */
export const openObject = (fields: Fields, others: Shape): Shape =>
  Type.Object(fields, { additionalProperties: others });

/** An object in which unknown members are refused rather than ignored. */
export const closedObject = (fields: Fields): Shape => Type.Object(fields, { additionalProperties: false });

/**
 * An object that needs all members of one of the groups. Where none is complete, the last group is the one
 * whose members are reported as missing.
 */
export const requireEither = (fields: Fields, ...groups: string[][]): Shape =>
  Type.Object(fields, { anyOf: groups.map((required) => ({ required })) });

/** One of a fixed set of words, in the order in which an error lists them. */
export const choice = (...words: string[]): Shape => Type.Enum(words);

/**
 * A value or null. In messages that a client writes, null and absent are the same; in messages that the
 * server writes, the member is always there.
 */
export const nullable = (shape: Shape): Shape => Type.Union([shape, Type.Null()]);

/** A member that may be left out. */
export const optional = (shape: Shape): Shape => Type.Optional(shape);

/** A member that may be left out, and what that means. */
export const byDefault = (value: unknown, shape: Shape): Shape => note(optional(shape), { default: value });

/** What a member is for. */
export const described = (summary: string, shape: Shape): Shape => note(shape, { description: summary });

/** A member that has to be there even where null is all it says. */
export const present = (shape: Shape): Shape => note(shape, { "x-present": true });

/** A variant that is only its name. */
export const unit: unique symbol = Symbol("unit");

/** Members of a variant of which one set of several is there, besides those that always are. */
interface Either {
  readonly name: string;
  readonly common: Fields;
  readonly sets: readonly Fields[];
}

/** `name` is how a refusal calls the choice between the sets. */
export const either = (name: string, common: Fields, ...sets: Fields[]): Either => ({ name, common, sets });

/** A variant that needs the experimental capability. */
interface Gated {
  readonly reason: string;
  readonly fields: Fields;
}

export const gated = (reason: string, fields: Fields): Gated => ({ reason, fields });

type Variant = Fields | Either | Gated;

const isEither = (variant: Variant): variant is Either => "sets" in variant && Array.isArray(variant.sets);
const isGated = (variant: Variant): variant is Gated =>
  "reason" in variant && typeof variant.reason === "string";

/** An object whose member `tag` says which of the variants it is; `common` members are in all of them. */
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

/** As `tagged`, but a variant that nobody knows yet is let through. */
export function openTagged(tag: string, variants: Record<string, Variant>): Shape {
  const known = tagged(tag, variants);
  const { anyOf } = known as unknown as { anyOf: Shape[] };
  const unknown = Type.Unsafe({ type: "string", not: { enum: Object.keys(variants) } });
  return annotate(known, { anyOf: [...anyOf, Type.Object({ [tag]: unknown }, { "x-open": true })] });
}

/** The first shape where the value has the member `tag`, the second where it has not. */
export const byTag = (tag: string, withTag: Shape, withoutTag: Shape): Shape =>
  Type.Union([withTag, withoutTag], { "x-tag": tag });

/** An object that does not have the member `tag`. */
export const untagged = (tag: string, fields: Fields): Shape =>
  Type.Object(fields, { not: { required: [tag] } });

/** A variant that can come with what it carries, or as its mere name. */
interface OrUnit {
  readonly carried: Shape;
}

export const orUnit = (carried: Shape): OrUnit => ({ carried });

const isOrUnit = (variant: object): variant is OrUnit => "carried" in variant;

/** A word, or an object with exactly one member: the name of the variant and what it carries. */
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

/** A member or variant that needs the experimental capability; `reason` is how a refusal names it. */
export const experimental = (reason: string, shape: Shape): Shape =>
  note(shape, { "x-experimental": reason });

/** Another name in refusals than that of the definition. */
export const titled = (title: string, shape: Shape): Shape => annotate(shape, { title });

/** A member that the protocol of the peer does not have. */
export const heddle = (summary: string, shape: Shape): Shape =>
  note(shape, { "x-heddle": true, description: summary });
