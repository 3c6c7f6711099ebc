/** Gives the JSON text of values that come again with every request, made once for each. They must not change. */
export type JsonCache = (value: unknown) => string;

export function createJsonCache(): JsonCache {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
    let text = texts.get(value);
    if (text === undefined) {
      text = JSON.stringify(value);
      texts.set(value, text);
    }
    return text;
  };
}
