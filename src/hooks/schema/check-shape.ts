/** Validates a value against a shape and lists the fields that do not match. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { printable } from "../../base/printable.ts";
import type { HookShape, Infer, ObjectShape } from "./shape.ts";

export type ShapeCheck<T> =
  | { readonly isValid: true; readonly value: T }
  /** One line per fault, up to a limit. */
  | { readonly isValid: false; readonly faults: readonly string[] };

export interface ShapeCheckOptions {
  readonly unknownMembers: "refused" | "ignored";
}

const MAX_FAULTS = 5;
const MAX_CHARACTERS = 60;

/** Returns the declared members only; undeclared ones are dropped. */
export function checkShape<S extends HookShape>(
  shape: S,
  value: unknown,
  { unknownMembers }: ShapeCheckOptions,
): ShapeCheck<Infer<S>> {
  const faults: string[] = [];
  let count = 0;
  const report: Report = (path, fault) => {
    count += 1;
    if (count <= MAX_FAULTS) faults.push(path === "" ? fault : `\`${path}\`: ${fault}`);
  };
  const checked = check(shape, value, { path: "", report, isStrict: unknownMembers === "refused" });
  if (count === 0) return { isValid: true, value: checked as Infer<S> };
  const remaining = count - faults.length;
  return { isValid: false, faults: remaining === 0 ? faults : [...faults, `and ${remaining} more`] };
}

type Report = (path: string, fault: string) => void;

interface CheckContext {
  readonly path: string;
  readonly report: Report;
  readonly isStrict: boolean;
}

function check(shape: HookShape, value: unknown, context: CheckContext): unknown {
  switch (shape.kind) {
    case "nullable":
      return value === null ? null : check(shape.of, value, context);
    case "object":
      return isObject(value) ? checkMembers(shape, value, context) : expected(shape, value, context);
    default:
      return fits(shape, value) ? value : expected(shape, value, context);
  }
}

function checkMembers({ members }: ObjectShape, value: JsonObject, context: CheckContext): JsonObject {
  const declared: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(members)) {
    const path = join(context.path, name);
    if (Object.hasOwn(value, name)) declared[name] = check(member.shape, value[name], { ...context, path });
    else if (member.isRequired) context.report("", `missing field \`${path}\``);
  }
  if (context.isStrict) {
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(members, name))
        context.report("", `unknown field \`${join(context.path, short(name))}\``);
    }
  }
  return declared;
}

type Leaf = Exclude<HookShape, { kind: "nullable" | "object" }>;

function fits(shape: Leaf, value: unknown): boolean {
  switch (shape.kind) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "integer":
      return Number.isInteger(value);
    case "anything":
      return true;
    case "choice":
      return typeof value === "string" && shape.values.includes(value);
    case "constant":
      return typeof value === "string" && (value === shape.value || shape.tolerated.includes(value));
  }
}

function expected(
  shape: Exclude<HookShape, { kind: "nullable" }>,
  value: unknown,
  { path, report }: CheckContext,
): null {
  report(path, `expected ${describeShape(shape)}; got ${describeValue(value)}`);
  return null;
}

function describeShape(shape: Exclude<HookShape, { kind: "nullable" }>): string {
  switch (shape.kind) {
    case "text":
      return "a string";
    case "flag":
      return "true or false";
    case "integer":
      return "an integer";
    case "choice":
      return shape.values.length === 1
        ? JSON.stringify(shape.values[0])
        : `one of ${shape.values.join(", ")}`;
    case "constant":
      return JSON.stringify(shape.value);
    case "object":
      return "an object";
    case "anything":
      return "anything";
  }
}

/** Shows strings truncated, scalars in full and containers by their type. */
function describeValue(value: unknown): string {
  if (typeof value === "string") return `"${short(value)}"`;
  if (Array.isArray(value)) return "an array";
  return isObject(value) ? "an object" : short(String(value));
}

/** The text is untrusted and shown on one line. */
function short(text: string): string {
  if (text.length <= MAX_CHARACTERS) return printable(text);
  return `${printable(text.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, ""))}…`;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
