/** A command that is a program with its arguments, and is run without a shell. */
import type { CommandHandler, ConfiguredHook } from "./configured-hook.ts";

const PLACEHOLDER = /\$\{([A-Z_]+)\}/gu;

/** With what the hook's own variables stand for put in place of them; null for a command that is text for a shell. */
export function execForm(
  { command, args }: CommandHandler,
  { env = {} }: Pick<ConfiguredHook, "env">,
): readonly [program: string, ...args: string[]] | null {
  if (args === undefined) return null;
  const fill = (word: string) =>
    word.replaceAll(PLACEHOLDER, (whole, name: string) =>
      Object.hasOwn(env, name) ? (env[name] ?? whole) : whole,
    );
  return [fill(command), ...args.map(fill)];
}
