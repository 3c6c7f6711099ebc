/** Small readers for what a provider sent, which may hold anything. */

export function stringOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A token count or an index; anything else counts as nothing. */
export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** No context window is smaller, and none is larger for a while. */
const WINDOWS = { smallest: 512, largest: 100_000_000 };

/** The tokens of a context window; null for what cannot be one. */
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

/** Header names are in lower case here, as Node hands them out. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function headerOf(headers: HttpHeaders, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
