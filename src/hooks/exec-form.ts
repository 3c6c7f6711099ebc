/** Command handlers in exec form: a program with arguments, run without a shell. */
import type { CommandHandler, ConfiguredHook } from "./configured-hook.ts";

const PLACEHOLDER = /\$\{([A-Z_]+)\}/gu;

/** Substitutes the hook's own variables. Null for a command that is shell text. */
export function execForm(
  { command, args }: CommandHandler,
  { env = {} }: Pick<ConfiguredHook, "env">,
): readonly [program: string, ...args: string[]] | null {
  if (args === undefined) return null;
  const fill = (text: string) =>
    text.replaceAll(PLACEHOLDER, (whole, name: string) =>
      Object.hasOwn(env, name) ? (env[name] ?? whole) : whole,
    );
  return [fill(command), ...args.map(fill)];
}
