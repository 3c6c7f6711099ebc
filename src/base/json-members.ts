// Typed access to untrusted JSON: a member of an unexpected type counts as absent.
import { isObject, type JsonObject } from "./json-object.ts";

export function textMember(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === "string" ? value : null;
}

/** PATH_MAX: longer texts are neither paths nor names. */
const MAX_NAME_LENGTH = 4096;
/** Larger objects are not indexed. */
const MAX_OBJECT_LENGTH = 256 * 1024;

/** A name or path: of limited length and without NUL, which no path can contain. */
export function nameMember(object: JsonObject, key: string): string | null {
  const value = textMember(object, key);
  return value === null || value.length > MAX_NAME_LENGTH || value.includes("\0") ? null : value;
}

/** A count or offset: 0 unless it is a positive integer. */
export function countMember(object: JsonObject, key: string): number {
  const value = numberMember(object, key);
  return Number.isSafeInteger(value) && (value ?? 0) > 0 ? (value ?? 0) : 0;
}

export function smallObjectMember(object: JsonObject, key: string): JsonObject | null {
  const value = objectMember(object, key);
  return value === null || JSON.stringify(value).length > MAX_OBJECT_LENGTH ? null : value;
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

/** Adds the members of an object that are neither null nor undefined, which rollout files omit. */
export function withoutNulls<T extends Record<string, unknown>>(object: JsonObject, to: T): T & JsonObject;
export function withoutNulls(object: JsonObject): JsonObject;
export function withoutNulls(object: JsonObject, to: Record<string, unknown> = {}): JsonObject {
  const result = to;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value !== null && value !== undefined) result[key] = value;
  }
  return result;
}
