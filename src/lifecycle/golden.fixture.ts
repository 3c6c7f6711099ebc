import { readFileSync } from "node:fs";

/** Recorded answers of the original to inputs composed for this project; `notes` in the file describes the format. */
export const golden = JSON.parse(readFileSync("fixtures/lifecycle/golden.json", "utf8"));

export interface Difference {
  readonly reason: string;
  readonly ids: readonly string[];
  /** Our answer; other tests may check more of it. */
  readonly ours?: object;
}

/** Intended differences from the original, with reasons. */
export const differences: Readonly<Record<string, readonly Difference[]>> = JSON.parse(
  readFileSync("fixtures/lifecycle/differences.json", "utf8"),
);

export function deliberate(kind: string): ReadonlySet<string> {
  return new Set((differences[kind] ?? []).flatMap(({ ids }) => ids));
}

export function oursOf(kind: string, id: string): object {
  return differences[kind]?.find(({ ids }) => ids.includes(id))?.ours ?? {};
}

/** Expands long texts, which the file stores as repeated parts. */
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== "object" || value === null) return value;
  const { $concat: parts, repeat, times } = value as Record<string, unknown>;
  if (Array.isArray(parts)) return parts.map((part) => String(expand(part))).join("");
  if (typeof repeat === "string") return repeat.repeat(Number(times));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(member)]));
}

/** Applies a difference to a base input. */
export function over(base: object, difference: object | undefined): Record<string, unknown> {
  const members = Object.entries({ ...base, ...(expand(difference ?? {}) as object) });
  return Object.fromEntries(members.filter(([, value]) => value !== "$absent"));
}
