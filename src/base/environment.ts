/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function definedOnly(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

declare const HEDDLE_VERSION: string | undefined;

/** The build defines the constant in the bundle; unbundled source, as in tests, has no release. */
export const version = typeof HEDDLE_VERSION === "string" ? HEDDLE_VERSION : "0.0.0-dev";
