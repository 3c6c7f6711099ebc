// Renders keys, values and tables as TOML text, in the layout of hand-written files.
import { TomlDate } from "smol-toml";
import { dateText, isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

export function renderKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : renderString(key);
}

export function renderPath(path: readonly string[]): string {
  return path.map(renderKey).join(".");
}

/** One line: tables become inline tables. */
export function renderValue(value: TomlValue): string {
  if (typeof value === "string") return renderString(value);
  if (typeof value === "number") return renderFloat(value);
  if (value instanceof TomlDate) return dateText(value);
  if (Array.isArray(value)) return `[${value.map(renderValue).join(", ")}]`;
  if (!isTable(value)) return String(value);
  const pairs = Object.entries(value).map(([key, item]) => `${renderKey(key)} = ${renderValue(item)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

/** The lines of a table and its subtables; a table with only subtables needs no header. */
export function renderSections(path: readonly string[], table: TomlTable): string[] {
  const pairs = Object.entries(table).filter(([, value]) => !isTable(value));
  const inner = Object.entries(table).filter((entry): entry is [string, TomlTable] => isTable(entry[1]));
  const sections = inner.map(([key, value]) => renderSections([...path, key], value));
  if (pairs.length > 0 || inner.length === 0) {
    const lines = pairs.map(([key, value]) => `${renderKey(key)} = ${renderValue(value)}`);
    sections.unshift([`[${renderPath(path)}]`, ...lines]);
  }
  return sections.flatMap((section, index) => (index === 0 ? section : ["", ...section]));
}

function renderString(value: string): string {
  return JSON.stringify(value).replaceAll("\u007F", "\\u007F");
}

function renderFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return floatText(value);
}

/** Shortest digits, always marked as a float: `1.0`, `1e+16`, `1.5e-7`. */
export function floatText(value: number): string {
  const [mantissa = "", exponentText = "0"] = Math.abs(value).toExponential().split("e");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const digits = mantissa.replace(".", "");
  const exponent = Number(exponentText);
  return sign + placePoint(digits, exponent);
}

function placePoint(digits: string, exponent: number): string {
  const point = exponent + 1;
  if (digits === "0") return "0.0";
  if (point >= digits.length && point <= 16) return `${digits.padEnd(point, "0")}.0`;
  if (point > 0 && point <= 16) return `${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point > -5 && point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  const rest = digits.slice(1);
  return `${digits[0]}${rest === "" ? "" : `.${rest}`}e${exponent < 0 ? "" : "+"}${exponent}`;
}
