/** What a call of `sed` does to files, as far as it shows in its arguments. */
import { isNoFlag, withoutFlagValues } from "./operands.ts";

const WITH_VALUE = ["-e", "-f", "--expression", "--file"];

function isRange(script: string | undefined): boolean {
  return script !== undefined && /^[0-9]+(?:,[0-9]+)?p$/.test(script);
}

/** The file of which `sed -n` prints a range of lines. */
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
