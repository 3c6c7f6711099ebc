// Replaces a list or inline table that has comments inside without losing them. The library that
// can do this is large and rarely needed, so it is loaded on first use.
import { parse } from "smol-toml";
import { outlineToml } from "./toml-outline.ts";
import { isTable, sameValue, type TomlValue } from "./toml-value.ts";

/** The new text of a value, or undefined if its old text is of no help. */
export type ValuePatcher = (oldText: string, value: TomlValue) => string | undefined;

export function needsValuePatcher(text: string): boolean {
  return outlineToml(text).some(({ valueStart, valueEnd }) => /#.*\n/.test(text.slice(valueStart, valueEnd)));
}

export async function loadValuePatcher(): Promise<ValuePatcher> {
  const { patch } = await import("@decimalturn/toml-patch");
  return (oldText, value) => {
    if (!/#.*\n/.test(oldText) || !(Array.isArray(value) || isTable(value))) return undefined;
    const prefix = "v = ";
    try {
      const patched = patch(`${prefix}${oldText}\n`, { v: toPlain(value) });
      const reread = parse(patched, { integersAsBigInt: true });
      const text = patched.slice(prefix.length).trimEnd();
      return patched.startsWith(prefix) && sameValue(reread["v"], value) ? text : undefined;
    } catch {
      // The library refuses some values; the caller then writes the value anew.
      return undefined;
    }
  };
}

function toPlain(value: TomlValue): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}
