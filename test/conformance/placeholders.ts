/** Fills `{{name.path}}` placeholders in a scenario's data from what is known so far. */
import { at, isObject } from "../support/json.ts";

const PLACEHOLDER = /\{\{([^{}]+)\}\}/gu;

export type Known = ReadonlyMap<string, unknown>;

export function fill<T>(template: T, known: Known): T {
  return fillValue(template, known) as T;
}

function fillValue(template: unknown, known: Known): unknown {
  if (typeof template === "string") return fillText(template, known);
  if (Array.isArray(template)) return template.map((each) => fillValue(each, known));
  if (!isObject(template)) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [fillText(key, known), fillValue(value, known)]),
  );
}

function fillText(template: string, known: Known): unknown {
  const whole = /^\{\{([^{}]+)\}\}$/u.exec(template)?.[1];
  if (whole !== undefined) return look(whole, known);
  return template.replace(PLACEHOLDER, (_match, name: string) => String(look(name, known)));
}

/** A label may itself hold dots or slashes, so the longest known name that fits wins. */
function look(name: string, known: Known): unknown {
  const parts = name.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const label = parts.slice(0, length).join(".");
    if (!known.has(label)) continue;
    const value = at(known.get(label), parts.slice(length));
    if (value !== undefined) return value;
  }
  throw new Error(`nothing is known as {{${name}}}`);
}
