/** What a command prints, where its words alone say so: another shell may read it as a script. */
import { basename } from "node:path";
import type { Draft } from "./scan.ts";

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

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c([^])|([^]))/gu;
const LETTERS: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};
const HIGHEST = 0x10ffff;

/** The escapes of `$'…'`, `printf` and `echo -e`. */
export function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (sequence, ...groups: (string | undefined)[]) => {
    const [hex, short, long, octal, control, letter = ""] = groups;
    const code = hex ?? short ?? long;
    if (code !== undefined) return character(Number.parseInt(code, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8));
    if (control !== undefined) return "";
    return LETTERS[letter] ?? sequence;
  });
}

function character(code: number): string {
  return code > HIGHEST ? "" : String.fromCodePoint(code);
}
