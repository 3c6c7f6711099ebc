// Reading of JSON whose shape nobody has promised: a member of another kind than asked for is absent.
import { isObject, type JsonObject } from "./json-object.ts";

export function textMember(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" ? value : null;
}

/** A longer text is no path and no name of anything. */
const MAX_NAME = 4096;
/** More than this is not kept beside a file. */
const MAX_OBJECT = 256 * 1024;

/** A text that names something: short, and without the one character that no path can have. */
export function nameMember(object: JsonObject, key: string): string | null {
  const value = textMember(object, key);
  return value === null || value.length > MAX_NAME || value.includes("\0") ? null : value;
}

/** How many there are of something, or how far it goes: 0 unless it is a whole number. */
export function countMember(object: JsonObject, key: string): number {
  const value = numberMember(object, key);
  return Number.isSafeInteger(value) && (value ?? 0) > 0 ? (value ?? 0) : 0;
}

export function smallObjectMember(object: JsonObject, key: string): JsonObject | null {
  const value = objectMember(object, key);
  return value === null || JSON.stringify(value).length > MAX_OBJECT ? null : value;
}

export function numberMember(object: JsonObject, key: string): number | null {
  const value = object[key];
  return typeof value === "number" ? value : null;
}

export function booleanMember(object: JsonObject, key: string): boolean | null {
  const value = object[key];
  return typeof value === "boolean" ? value : null;
}

export function objectMember(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isObject(value) ? value : null;
}

export function arrayMember(object: JsonObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

export function textsMember(object: JsonObject, key: string): string[] {
  return arrayMember(object, key).filter((value) => typeof value === "string");
}

export function objectsMember(object: JsonObject, key: string): JsonObject[] {
  return arrayMember(object, key).filter(isObject);
}

/** The object without the members that are null or undefined, which the files leave out. */
export function withoutNulls(object: JsonObject): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== null && value !== undefined) kept[key] = value;
  }
  return kept;
}
