/** The model providers and permission profiles that exist without configuration. */
import type { ConfigValues } from "./schema/config-schema.ts";

/**
 * `demo` is Heddle's own, a scripted model that needs no key and no network. So is `anthropic`, which a
 * configured table of that name replaces.
 */
export const BUILT_IN_PROVIDERS: readonly string[] = [
  "openai",
  "anthropic",
  "demo",
  "ollama",
  "lmstudio",
  "amazon-bedrock",
  "amazon-bedrock-runtime",
];

/** Undefined when the chosen provider exists; otherwise the error message. */
export function findProvider({
  model_provider: id,
  model_providers: configured,
}: ConfigValues): string | undefined {
  if (id === null || BUILT_IN_PROVIDERS.includes(id) || Object.hasOwn(configured, id)) return undefined;
  if (id === "ollama-chat") {
    return (
      "`ollama-chat` is no longer supported.\nHow to fix: replace `ollama-chat` with `ollama` in `model_provider`, " +
      "`oss_provider`, or `--local-provider`.\nMore info: https://github.com/openai/codex/discussions/7782"
    );
  }
  return `Model provider \`${id}\` not found`;
}

/** The built-in permission profiles, by sandbox mode. */
export const PROFILES = {
  "read-only": ":read-only",
  "workspace-write": ":workspace",
  "danger-full-access": ":danger-full-access",
} as const;
