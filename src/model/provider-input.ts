/** Parsers for untrusted values from a provider. */

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A token count or an index; 0 for anything else. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Values outside this range are not plausible context windows. */
const WINDOWS = { smallest: 512, largest: 100_000_000 };

/** A context window in tokens; null if the value is implausible. */
export function contextWindowOf(value: unknown): number | null {
  const isWindow = typeof value === "number" && value >= WINDOWS.smallest && value <= WINDOWS.largest;
  return isWindow ? Math.floor(value) : null;
}

/** The parsed text, or undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Header names are in lower case, as in Node. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function headerOf(headers: HttpHeaders, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
