// Compiles checks of unions.

import { compileMembers, compilePositions, type MembersCheck } from "./compile-members.ts";
import { describeValue, expectedOneOf } from "./compile-scalar.ts";
import type { Check, Compiler, Schema } from "./schema.ts";

const unknownVariant = (found: string, words: readonly string[]): string =>
  `unknown variant \`${found}\`, expected ${expectedOneOf(words)}`;

export function compileEnum(words: readonly string[]): Check {
  const known = new Set(words);
  return (value) => {
    if (typeof value === "string") return known.has(value) ? null : unknownVariant(value, words);
    return namedVariant(value, words, () => null);
  };
}

/** The error for a map whose single key is the name of a variant; a unit variant has no content. */
function namedVariant(
  value: unknown,
  words: readonly string[],
  carried: (name: string) => Check | null,
): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return `invalid type: ${describeValue(value)}, expected string or map`;
  }
  const [name, ...more] = Object.keys(value);
  if (name === undefined || more.length > 0) return "invalid value: map, expected map with a single key";
  if (!words.includes(name)) return unknownVariant(name, words);
  const content = (value as Record<string, unknown>)[name];
  const check = carried(name);
  return check === null ? `invalid type: ${describeValue(content)}, expected unit` : check(content);
}

/** Strings, and objects with a single member that is named like one of them. */
export function compileVariants(schema: Schema, title: string, compiler: Compiler): Check {
  const words = schema["x-variants"] ?? [];
  const units = new Set(schema.anyOf?.flatMap((one) => one.enum ?? []));
  const carriers = new Map<string, { readonly check: Check; readonly kind: string }>();
  for (const { properties = {} } of schema.anyOf ?? []) {
    for (const [name, content] of Object.entries(properties)) {
      const isStruct = content.type === "object" && content.properties !== undefined;
      carriers.set(name, {
        check: isStruct
          ? compileStructVariant(content, `${title}::${pascalCase(name)}`, compiler)
          : compiler.compile(content, title),
        kind: isStruct ? "struct variant" : "newtype variant",
      });
    }
  }
  return (value) => {
    if (typeof value !== "string")
      return namedVariant(value, words, (name) => carriers.get(name)?.check ?? null);
    if (units.has(value)) return null;
    const carrier = carriers.get(value);
    if (carrier !== undefined) return `invalid type: unit variant, expected ${carrier.kind}`;
    return unknownVariant(value, words);
  };
}

function compileStructVariant(schema: Schema, title: string, compiler: Compiler): Check {
  const members = compileMembers(schema, title, compiler);
  const positions = compilePositions(schema, `struct variant ${title}`, compiler);
  return (value) => {
    if (Array.isArray(value)) return positions(value);
    if (typeof value === "object" && value !== null)
      return members(value as Readonly<Record<string, unknown>>);
    return `invalid type: ${describeValue(value)}, expected struct variant`;
  };
}

const pascalCase = (name: string): string =>
  name.replace(/(?:^|[-_])([a-z])/g, (_, first: string) => first.toUpperCase());

/** Objects whose member `tag` names the variant; it is read before any other member. */
export function compileTagged(schema: Schema, title: string, compiler: Compiler): Check {
  const tag = schema.discriminator?.propertyName ?? "type";
  const all = schema.anyOf ?? [];
  const byName = new Map<string, Schema[]>();
  for (const variant of all.filter((one) => one["x-open"] !== true)) {
    const name = variant.properties?.[tag]?.const ?? "";
    byName.set(name, [...(byName.get(name) ?? []), variant]);
  }
  const words = [...byName.keys()];
  const isOpen = all.some((one) => one["x-open"] === true);
  const checks = new Map(
    [...byName].map(([name, group]) => {
      const variant = { title, union: group[0]?.["x-either"] ?? title };
      return [
        name,
        compileVariant(
          group.map((one) => without(one, tag)),
          variant,
          compiler,
        ),
      ];
    }),
  );
  return (value) => {
    if (typeof value !== "object" || value === null) {
      return `invalid type: ${describeValue(value)}, expected internally tagged enum ${title}`;
    }
    if (!Object.hasOwn(value, tag)) return `missing field \`${tag}\``;
    const object = value as Readonly<Record<string, unknown>>;
    const name = object[tag];
    if (typeof name !== "string") return `invalid type: ${describeValue(name)}, expected variant identifier`;
    const check = checks.get(name);
    if (check !== undefined) return check(object);
    return isOpen ? null : unknownVariant(name, words);
  };
}

/** Alternatives of the same variant share common members; beside these, one complete set must be present. */
function compileVariant(
  group: readonly Schema[],
  { title, union }: { readonly title: string; readonly union: string },
  compiler: Compiler,
): MembersCheck {
  const [first = {}, ...more] = group;
  if (more.length === 0) return compileMembers(first, title, compiler);
  const isCommon = (key: string) => group.every((one) => Object.hasOwn(one.properties ?? {}, key));
  const common = compileMembers(only(first, isCommon), title, compiler);
  const own = group.map((one) =>
    compileMembers(
      only(one, (key) => !isCommon(key)),
      title,
      compiler,
    ),
  );
  const refusal = `data did not match any variant of untagged enum ${union}`;
  return (value) => common(value) ?? (own.some((check) => check(value) === null) ? null : refusal);
}

const without = (schema: Schema, key: string): Schema => only(schema, (other) => other !== key);

function only(schema: Schema, keep: (key: string) => boolean): Schema {
  const properties = Object.entries(schema.properties ?? {}).filter(([key]) => keep(key));
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: (schema.required ?? []).filter(keep),
  };
}

/** The first alternative that fits, or the one that the presence of a member selects. */
export function compileUntagged(schema: Schema, title: string, compiler: Compiler): Check {
  const checks = (schema.anyOf ?? []).map((one) => compiler.compile(one, title));
  const tag = schema["x-tag"];
  if (tag !== undefined) return compileByTag(tag, checks);
  const refusal = `data did not match any variant of untagged enum ${title}`;
  return (value) => (checks.some((check) => check(value) === null) ? null : refusal);
}

function compileByTag(tag: string, [withTag, withoutTag]: readonly Check[]): Check {
  return (value) => {
    const isTagged = typeof value === "object" && value !== null && Object.hasOwn(value, tag);
    return (isTagged ? withTag : withoutTag)?.(value) ?? null;
  };
}
