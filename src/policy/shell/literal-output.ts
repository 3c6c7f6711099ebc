/** The output of a command that follows from its words alone, because another shell may execute it as a script. */
import { basename } from "node:path";
import type { CommandDraft } from "./scan.ts";

export function literalOutput({ words, input }: CommandDraft): string | null {
  const [program = "", ...args] = words;
  switch (basename(program)) {
    case "echo": {
      const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
      return decodeEscapes((start < 0 ? [] : args.slice(start)).join(" "));
    }
    case "printf":
      return formatPrintf(args[0] === "--" ? args.slice(1) : args);
    case "cat":
    case "tee":
      return input;
    default:
      return null;
  }
}

/** Output beyond this is ignored: a long format is repeated for every value. */
const MAX_OUTPUT = 1 << 16;
const CONVERSION = /%(?:%|[-+ #0-9*]*(?:\.(\d*))?[hlLjzt]*([A-Za-z]))/g;

/** printf repeats the format until all values are consumed. */
function formatPrintf([format = "", ...values]: readonly string[]): string {
  const pattern = decodeEscapes(format);
  let text = "";
  let used = 0;
  const fill = (_place: string, precision: string | undefined, kind: string | undefined): string => {
    if (kind === undefined) return "%";
    const value = values[used++] ?? "";
    if (kind === "b") return decodeEscapes(value);
    return value.slice(0, kind === "c" ? 1 : Number(precision ?? value.length));
  };
  do {
    const before = used;
    text += pattern.replaceAll(CONVERSION, fill);
    if (used === before) break;
  } while (used < values.length && text.length < MAX_OUTPUT);
  return [text, ...values.slice(used)].join("\n");
}

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c([^])|([^]))/gu;
const LETTER_ESCAPES: Readonly<Record<string, string>> = {
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
const MAX_CODE_POINT = 0x10ffff;

/** The escapes of `$'…'`, `printf` and `echo -e`. */
export function decodeEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (sequence, ...groups: (string | undefined)[]) => {
    const [hex, short, long, octal, control, letter = ""] = groups;
    const code = hex ?? short ?? long;
    if (code !== undefined) return character(Number.parseInt(code, 16));
    if (octal !== undefined) return character(Number.parseInt(octal, 8));
    if (control !== undefined) return "";
    return LETTER_ESCAPES[letter] ?? sequence;
  });
}

function character(code: number): string {
  return code > MAX_CODE_POINT ? "" : String.fromCodePoint(code);
}
