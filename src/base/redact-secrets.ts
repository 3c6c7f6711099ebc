/** Takes out of a command what looks like a secret, where it is shown or kept. What is run stays as it is. */

const HIDDEN = "[REDACTED_SECRET]";

/** In this order: what one rule has hidden, the next ones leave alone. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\bBearer[ \t]+[a-z0-9._~+/-]{16,}=*/gi, `Bearer ${HIDDEN}`],
  [/sk-[A-Za-z0-9]{20,}/g, HIDDEN],
  [/\bAKIA[0-9A-Z]{16}\b/g, HIDDEN],
  [/\b(api[_-]?key|token|secret|password)\b(\s*[:=]\s*)(["']?)[^\s"']{8,}/gi, `$1$2$3${HIDDEN}`],
];

export function redactSecrets(text: string): string {
  return RULES.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text);
}

interface ShownCommand {
  readonly command: string;
  /** What a search looks for. */
  readonly query?: string | null;
}

/** The same item or action, with the texts that a user or a model wrote redacted. */
export function redactCommand<Shown extends ShownCommand>(shown: Shown): Shown {
  const { command, query } = shown;
  return {
    ...shown,
    command: redactSecrets(command),
    ...(typeof query === "string" ? { query: redactSecrets(query) } : {}),
  };
}
