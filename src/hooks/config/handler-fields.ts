/**
 * Typed access to the members of one handler; records the first invalid member in a message that names it.
 */
import { isTable, type TomlTable } from "../../config/toml/toml-value.ts";

export interface HandlerFields {
  /** An empty string after a fault. */
  text(name: string): string;
  optionalText(name: string, alias?: string): string | null;
  flag(name: string): boolean;
  /** A whole number, zero or more. */
  count(name: string): bigint | null;
  /** A number, zero or more, whole or not. */
  amount(name: string): number | null;
  /** A list of strings; null where absent. */
  list(name: string): readonly string[] | null;
  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T;
  /** A table whose values are all strings. */
  texts(name: string): Readonly<Record<string, string>>;
  /** A table of any TOML values. */
  table(name: string): TomlTable;
  fail(name: string, problem: string): void;
  /** Null while every member is valid. */
  fault(): string | null;
}

const MAX_COUNT = 2n ** 64n - 1n;

export function createHandlerFields(given: TomlTable): HandlerFields {
  let fault: string | null = null;

  /** JSON null counts as absent. */
  const valueOf = (name: string): unknown => (Object.hasOwn(given, name) ? (given[name] ?? null) : null);

  function fail(name: string, problem: string): void {
    fault ??= `${name}: ${problem}`;
  }

  function optionalText(name: string, alias = name): string | null {
    const value = valueOf(name) ?? valueOf(alias);
    if (value === null || typeof value === "string") return value;
    fail(name, `expected a string, found ${describeFieldValue(value)}`);
    return null;
  }

  function tableOf(name: string): TomlTable {
    const value = valueOf(name) ?? {};
    if (isTable(value)) return value;
    fail(name, `expected a table, found ${describeFieldValue(value)}`);
    return {};
  }

  return {
    fail,
    optionalText,
    fault: () => fault,
    text(name) {
      const value = optionalText(name);
      if (value === null) fail(name, "is missing");
      else if (value.trim() === "") fail(name, "must not be blank");
      return value ?? "";
    },
    flag(name) {
      const value = valueOf(name) ?? false;
      if (typeof value === "boolean") return value;
      fail(name, `expected true or false, found ${describeFieldValue(value)}`);
      return false;
    },
    count(name) {
      const value = valueOf(name);
      if (value === null) return null;
      if (typeof value === "bigint" && value >= 0n && value <= MAX_COUNT) return value;
      fail(name, `expected a whole number, zero or more, found ${describeFieldValue(value)}`);
      return null;
    },
    amount(name) {
      const value = valueOf(name);
      if (value === null) return null;
      const amount = typeof value === "bigint" ? Number(value) : value;
      if (typeof amount === "number" && amount >= 0 && Number.isFinite(amount)) return amount;
      fail(name, `expected a number, zero or more, found ${describeFieldValue(value)}`);
      return null;
    },
    list(name) {
      const value = valueOf(name);
      if (value === null) return null;
      if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
      fail(name, `expected a list of strings, found ${describeFieldValue(value)}`);
      return null;
    },
    choice(name, choices, fallback) {
      const value = valueOf(name) ?? fallback;
      const chosen = choices.find((choice) => choice === value);
      const list = choices.map((choice) => `"${choice}"`).join(" or ");
      if (chosen === undefined) fail(name, `expected ${list}, found ${describeFieldValue(value)}`);
      return chosen ?? fallback;
    },
    texts(name) {
      const texts = Object.create(null) as Record<string, string>;
      for (const [key, value] of Object.entries(tableOf(name))) {
        if (typeof value === "string") texts[key] = value;
        else fail(`${name}.${key}`, `expected a string, found ${describeFieldValue(value)}`);
      }
      return texts;
    },
    table(name) {
      const value = tableOf(name);
      if (hasNull(value)) fail(name, "must not have a null in it");
      return value;
    },
  };
}

function hasNull(value: unknown): boolean {
  if (value === null) return true;
  return (Array.isArray(value) || isTable(value)) && Object.values(value).some(hasNull);
}

const MAX_SHOWN = 60;

export function describeFieldValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (typeof value !== "string") return "a table";
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
