/**
 * Converts the arguments of an MCP tool hook into the JSON that is sent and the TOML that is hashed for
 * trust.
 */
import { TomlDate } from "smol-toml";
import type { JsonObject } from "../../base/json-object.ts";
import { floatText } from "../../config/toml/render-toml.ts";
import {
  createTable,
  dateText,
  isTable,
  type TomlTable,
  type TomlValue,
} from "../../config/toml/toml-value.ts";

export function sentInput(input: TomlTable): JsonObject {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, toSent(value)]));
}

function toSent(value: TomlValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof TomlDate) return dateText(value);
  if (Array.isArray(value)) return value.map(toSent);
  return isTable(value) ? sentInput(value) : value;
}

/** The key under which the peer's JSON library (serde_json) stores a number of arbitrary precision. */
const NUMBER = "$serde_json::private::Number";

export function hashedInput(input: TomlTable): TomlTable {
  return createTable(Object.entries(input).map(([key, value]) => [key, toHashed(value)]));
}

function toHashed(value: TomlValue): TomlValue {
  if (typeof value === "bigint") return { [NUMBER]: value.toString() };
  if (typeof value === "number") return { [NUMBER]: floatText(value) };
  if (value instanceof TomlDate) return dateText(value);
  if (Array.isArray(value)) return value.map(toHashed);
  return isTable(value) ? hashedInput(value) : value;
}
