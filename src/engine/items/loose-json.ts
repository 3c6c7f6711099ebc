/** Reads values whose shape nobody has checked: items come from providers and from files of other versions. */
import { isObject, type JsonObject } from "../../base/json-object.ts";

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The records in a list; nothing for anything else. */
export function recordsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
