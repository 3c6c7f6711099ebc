/**
 * Whether two JSON values are equal, whatever the order of their members. A member that is undefined differs from an
 * absent one. `isDeepStrictEqual` gives the same answers, but Node takes 3 ms to load it.
 */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (!isCompound(one) || !isCompound(other)) return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
  );
}

function isCompound(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
