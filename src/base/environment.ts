/** The variables of a process, or what stands for them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function definedOnly(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

declare const HEDDLE_VERSION: string | undefined;

/** Written into the bundle by the build; source that runs unbundled, as in tests, has no release. */
export const version = typeof HEDDLE_VERSION === "string" ? HEDDLE_VERSION : "0.0.0-dev";
