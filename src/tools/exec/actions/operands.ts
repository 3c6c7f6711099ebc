/** Extracts the operands of a command, and the files that `sed` reads or edits. */

/** Removes the flags that take a value together with their values; other flags remain. */
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

/** As `withoutFlagValues`, and also removes all flags before a `--`. */
export function operands(args: readonly string[], flags: readonly string[] = []): string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  return [...withoutFlagValues(before, flags).filter(isNoFlag), ...after];
}

export function isNoFlag(arg: string): boolean {
  return !arg.startsWith("-");
}

const GENERIC_FOLDERS = new Set(["", "build", "dist", "node_modules", "src"]);

/** The last distinctive component of a path: `webview/src/` gives `webview`. */
export function shortPath(path: string): string {
  const trimmed = path.replaceAll("\\", "/").replace(/\/+$/, "");
  return trimmed.split("/").findLast((part) => !GENERIC_FOLDERS.has(part)) ?? trimmed;
}

const WITH_VALUE = ["-e", "-f", "--expression", "--file"];

function isRange(script: string | undefined): boolean {
  return script !== undefined && /^[0-9]+(?:,[0-9]+)?p$/.test(script);
}

/** The file from which `sed -n` prints a line range. */
export function sedReadPath(args: readonly string[]): string | null {
  if (sedEditsInPlace(args) || !args.includes("-n")) return null;
  const expressions = args.filter((_, at) => ["-e", "--expression"].includes(args[at - 1] ?? ""));
  if (!expressions.some(isRange) && !args.some(isRange)) return null;
  const [first, second] = withoutFlagValues(args, WITH_VALUE).filter(isNoFlag);
  return (isRange(first) ? second : first) ?? null;
}

export function sedEditsInPlace(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return false;
    if (WITH_VALUE.includes(arg)) at += 1;
    else if (arg.startsWith("--")) {
      if (arg === "--in-place" || arg.startsWith("--in-place=")) return true;
    } else if (arg.startsWith("-")) {
      const [options = "", takesNext] = /^-([^ef]*)([ef]$)?/.exec(arg)?.slice(1) ?? [];
      if (options.includes("i")) return true;
      if (takesNext !== undefined) at += 1;
    }
  }
  return false;
}
