/** The arguments of a call of an MCP tool, as they are sent and as they are hashed for trust. */
import { TomlDate } from "smol-toml";
import { floatText } from "../../config/toml/render-toml.ts";
import {
  createTable,
  dateText,
  isTable,
  type TomlTable,
  type TomlValue,
} from "../../config/toml/toml-value.ts";
import type { JsonObject } from "../configured-hook.ts";

export function sentInput(input: TomlTable): JsonObject {
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, toSent(value)]));
}

function toSent(value: TomlValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof TomlDate) return dateText(value);
  if (Array.isArray(value)) return value.map(toSent);
  return isTable(value) ? sentInput(value) : value;
}

/** How the peer's JSON library holds a number together with the way it is written. */
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
