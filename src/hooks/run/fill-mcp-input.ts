/** Fills the argument template of an MCP tool hook with members of the event's input. */
import { isObject } from "../../base/json-object.ts";

export type FilledInput =
  | { readonly kind: "filled"; readonly input: unknown }
  | { readonly kind: "missing"; readonly field: string };

const WHOLE = /^\$\{([^{}]+)\}$/u;
const PART = /\$\{([^{}]+)\}/gu;
/** Deeper than any intended configuration. */
const MAX_DEPTH = 64;

/**
 * A string that is exactly `${path.to.field}` becomes the field's value; inside a longer string, the field is
 * inserted as text.
 */
export function fillInput(template: unknown, event: Readonly<Record<string, unknown>>): FilledInput {
  let missing: string | null = null;
  const lookUp = (path: string): unknown => {
    const found = path.split(".").reduce<unknown>(memberOf, event);
    if (found === undefined) missing ??= path;
    return found;
  };
  const fill = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return fillText(value, lookUp);
    if (depth === MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((each) => fill(each, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, depth + 1)]));
  };
  const input = fill(template, 0);
  return missing === null ? { kind: "filled", input } : { kind: "missing", field: missing };
}

function fillText(text: string, lookUp: (path: string) => unknown): unknown {
  const whole = WHOLE.exec(text);
  if (whole?.[1] !== undefined) return lookUp(whole[1]);
  return text.replace(PART, (_all, path: string) => {
    const found = lookUp(path);
    return typeof found === "string" ? found : JSON.stringify(found);
  });
}

function memberOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d+$/u.test(name) ? (value as unknown[])[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
