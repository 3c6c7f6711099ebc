/** Secrets that this machine knows by their values: those of its environment, and those that its configuration names. */
import { isSecretName } from "../../base/redact-secrets.ts";

/** Shorter values are parts of ordinary words. */
const MIN_LENGTH = 8;
/** Keys of the configuration that name variables of the environment. */
const NAMES_VARIABLE = /^(?:env_key|secret_env|bearer_token_env_var|env_http_headers)$/;
/** Keys of the configuration whose values are headers: any of them may be a secret. */
const HAS_HEADERS = /^(?:http_)?headers$/;

interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The values of the configuration. */
  readonly config: unknown;
}

/** The longest first, so that none hides a part of another. */
export function knownSecrets({ env, config }: Sources): readonly string[] {
  const found = new Set<string>();
  const add = (secret: string | undefined): void => {
    if (secret !== undefined && secret.trim().length >= MIN_LENGTH) found.add(secret.trim());
  };
  for (const [name, value] of Object.entries(env)) if (isSecretName(name)) add(value);
  const walk = (value: unknown, kind: "plain" | "secret" | "variable"): void => {
    if (typeof value === "string") {
      if (kind === "secret") add(value);
      if (kind === "variable") add(env[value]);
      return;
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) walk(member, kindOf(key, kind));
  };
  walk(config, "plain");
  return [...found].toSorted((one, other) => other.length - one.length);
}

function kindOf(key: string, outer: "plain" | "secret" | "variable"): "plain" | "secret" | "variable" {
  if (outer !== "plain") return outer;
  if (NAMES_VARIABLE.test(key)) return "variable";
  return HAS_HEADERS.test(key) || isSecretName(key) ? "secret" : "plain";
}
