/** Whether a value has a shape, and which fields are why it does not. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { printable } from "../../base/printable.ts";
import type { Infer, ObjectShape, Shape } from "./shape.ts";

export type Checked<T> =
  | { readonly isValid: true; readonly value: T }
  /** A line each; the first few of them. */
  | { readonly isValid: false; readonly faults: readonly string[] };

export interface CheckOptions {
  readonly unknownMembers: "refused" | "ignored";
}

const MOST_FAULTS = 5;
const MOST_CHARACTERS = 60;

/** The value comes back with what is declared and nothing else, whatever else there was. */
export function checkShape<S extends Shape>(
  shape: S,
  value: unknown,
  { unknownMembers }: CheckOptions,
): Checked<Infer<S>> {
  const faults: string[] = [];
  let count = 0;
  const report: Report = (path, fault) => {
    count += 1;
    if (count <= MOST_FAULTS) faults.push(path === "" ? fault : `\`${path}\`: ${fault}`);
  };
  const checked = check(shape, value, { path: "", report, isStrict: unknownMembers === "refused" });
  if (count === 0) return { isValid: true, value: checked as Infer<S> };
  const left = count - faults.length;
  return { isValid: false, faults: left === 0 ? faults : [...faults, `and ${left} more`] };
}

type Report = (path: string, fault: string) => void;

interface Place {
  readonly path: string;
  readonly report: Report;
  readonly isStrict: boolean;
}

function check(shape: Shape, value: unknown, place: Place): unknown {
  switch (shape.kind) {
    case "nullable":
      return value === null ? null : check(shape.of, value, place);
    case "object":
      return isObject(value) ? checkMembers(shape, value, place) : expected(shape, value, place);
    default:
      return fits(shape, value) ? value : expected(shape, value, place);
  }
}

function checkMembers({ members }: ObjectShape, value: JsonObject, place: Place): JsonObject {
  const known: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(members)) {
    const path = join(place.path, name);
    if (Object.hasOwn(value, name)) known[name] = check(member.shape, value[name], { ...place, path });
    else if (member.isRequired) place.report("", `missing field \`${path}\``);
  }
  if (place.isStrict) {
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(members, name))
        place.report("", `unknown field \`${join(place.path, short(name))}\``);
    }
  }
  return known;
}

type Leaf = Exclude<Shape, { kind: "nullable" | "object" }>;

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
  shape: Exclude<Shape, { kind: "nullable" }>,
  value: unknown,
  { path, report }: Place,
): null {
  report(path, `expected ${describeShape(shape)}; got ${describeValue(value)}`);
  return null;
}

function describeShape(shape: Exclude<Shape, { kind: "nullable" }>): string {
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

/** What it is, shown only where it is short by nature. */
function describeValue(value: unknown): string {
  if (typeof value === "string") return `"${short(value)}"`;
  if (Array.isArray(value)) return "an array";
  return isObject(value) ? "an object" : short(String(value));
}

/** Others choose these words, and they are shown in one line. */
function short(words: string): string {
  if (words.length <= MOST_CHARACTERS) return printable(words);
  return `${printable(words.slice(0, MOST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, ""))}…`;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
