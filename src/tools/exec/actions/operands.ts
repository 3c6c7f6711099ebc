/** Finding the operands among a command's arguments. */

/** The arguments without the flags that take a value, and their values; other flags stay. */
export function withoutFlagValues(args: readonly string[], flags: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...kept, ...args.slice(at + 1)];
    if (arg.startsWith("--") && arg.includes("=")) continue;
    if (flags.includes(arg)) at += 1;
    else kept.push(arg);
  }
  return kept;
}

/** As `withoutFlagValues`, and without flags of any kind before a `--`. */
export function operands(args: readonly string[], flags: readonly string[] = []): string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  return [...withoutFlagValues(before, flags).filter(isNoFlag), ...after];
}

export function isNoFlag(arg: string): boolean {
  return !arg.startsWith("-");
}

const UNTELLING = new Set(["", "build", "dist", "node_modules", "src"]);

/** The last part of a path that tells something: `webview/src/` is `webview`. */
export function shortPath(path: string): string {
  const trimmed = path.replaceAll("\\", "/").replace(/\/+$/, "");
  return trimmed.split("/").findLast((part) => !UNTELLING.has(part)) ?? trimmed;
}
