import { basename } from "node:path";
import { decodeEscapes } from "./decode-escapes.ts";
import type { Draft } from "./scan.ts";

/** What a command prints, where its words alone say so: another shell may read it as a script. */
export function literalOutput({ words, input }: Draft): string | null {
  const [program = "", ...args] = words;
  switch (basename(program)) {
    case "echo": {
      const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
      return decodeEscapes((start < 0 ? [] : args.slice(start)).join(" "));
    }
    case "printf":
      return formatted(args[0] === "--" ? args.slice(1) : args);
    case "cat":
    case "tee":
      return input;
    default:
      return null;
  }
}

/** The format with the values in their places, and on lines of their own those that it has no place for. */
function formatted([format = "", ...values]: readonly string[]): string {
  let used = 0;
  const first = decodeEscapes(format).replaceAll(/%[sbq]/g, (place) => values[used++] ?? place);
  return [first, ...values.slice(used)].join("\n");
}
