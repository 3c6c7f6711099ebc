// The version of a layer: a digest of its values that does not depend on layout or key order, and
// equals the peer's, so that a client may carry one from either server to the other.
import { TomlDate } from "smol-toml";
import { dateText, isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

export function layerVersion(table: TomlTable): string {
  return `sha256:${process.getBuiltinModule("node:crypto").createHash("sha256").update(canonicalJson(table)).digest("hex")}`;
}

function canonicalJson(value: TomlValue): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? floatText(value) : "null";
  if (value instanceof TomlDate) return `{"$__toml_private_datetime":${JSON.stringify(dateText(value))}}`;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isTable(value)) {
    const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? "")}`).join(",")}}`;
  }
  return JSON.stringify(value);
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
