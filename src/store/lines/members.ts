// Reading of JSON whose shape nobody has promised: a member of another kind than asked for is absent.
import { isObject, type JsonObject } from "../../base/json-object.ts";

export function textOf(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" ? value : null;
}

/** A longer text is no path and no name of anything. */
const MAX_NAME = 4096;
/** More than this is not kept beside a file. */
const MAX_OBJECT = 256 * 1024;

/** A text that names something: short, and without the one character that no path can have. */
export function nameOf(object: JsonObject, key: string): string | null {
  const value = textOf(object, key);
  return value === null || value.length > MAX_NAME || value.includes("\0") ? null : value;
}

/** How many there are of something, or how far it goes: 0 unless it is a whole number. */
export function countOf(object: JsonObject, key: string): number {
  const value = numberOf(object, key);
  return Number.isSafeInteger(value) && (value ?? 0) > 0 ? (value ?? 0) : 0;
}

export function smallObjectOf(object: JsonObject, key: string): JsonObject | null {
  const value = objectOf(object, key);
  return value === null || JSON.stringify(value).length > MAX_OBJECT ? null : value;
}

export function numberOf(object: JsonObject, key: string): number | null {
  const value = object[key];
  return typeof value === "number" ? value : null;
}

export function booleanOf(object: JsonObject, key: string): boolean | null {
  const value = object[key];
  return typeof value === "boolean" ? value : null;
}

export function objectOf(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isObject(value) ? value : null;
}

export function arrayOf(object: JsonObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

export function textsOf(object: JsonObject, key: string): string[] {
  return arrayOf(object, key).filter((value) => typeof value === "string");
}

export function objectsOf(object: JsonObject, key: string): JsonObject[] {
  return arrayOf(object, key).filter(isObject);
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

// The files write in snake_case what the wire writes in camelCase.

export function toSnake(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamel(text: string): string {
  return text.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
