/** Reads the prompt of a call: an argument, stdin, or both. */
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { messageOf } from "../../base/errors.ts";
import { readStdin } from "../command-line/read-stdin.ts";

export type Prompt =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "missing"; readonly message: string };

export interface PromptOptions {
  readonly argument: string | null;
  /** Whether stdin is appended to a prompt argument. */
  readonly takesBoth: boolean;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Announces that stdin is being read. */
  readonly printLine: (line: string) => void;
}

export async function readPrompt({ argument, takesBoth, stdin, printLine }: PromptOptions): Promise<Prompt> {
  const isGiven = argument !== null && argument !== "-";
  if (isGiven && (!takesBoth || stdin.isTTY === true)) return { kind: "prompt", text: argument };
  if (argument === null && stdin.isTTY === true) {
    const message = "No prompt provided. Either specify one as an argument or pipe the prompt into stdin.";
    return { kind: "missing", message };
  }
  if (argument === null) printLine("Reading prompt from stdin...");
  else if (isGiven) printLine("Reading additional input from stdin...");
  const read = await readStdin(stdin).then(decode, (error: unknown) => ({ fault: messageOf(error) }));
  if ("fault" in read) return { kind: "missing", message: `Failed to read prompt from stdin: ${read.fault}` };
  const isEmpty = read.text.trim() === "";
  if (isGiven) return { kind: "prompt", text: isEmpty ? argument : withInput(argument, read.text) };
  if (isEmpty) return { kind: "missing", message: "No prompt provided via stdin." };
  return { kind: "prompt", text: read.text };
}

function withInput(prompt: string, input: string): string {
  return `${prompt}\n\n<stdin>\n${input}${input.endsWith("\n") ? "" : "\n"}</stdin>`;
}

type Decoded = { readonly text: string } | { readonly fault: string };

const UTF_32: readonly (readonly [name: string, mark: readonly number[]])[] = [
  ["UTF-32LE", [0xff, 0xfe, 0, 0]],
  ["UTF-32BE", [0, 0, 0xfe, 0xff]],
];
const UTF_16: readonly (readonly [name: string, mark: readonly number[]])[] = [
  ["UTF-16LE", [0xff, 0xfe]],
  ["UTF-16BE", [0xfe, 0xff]],
];

function decode(bytes: Buffer): Decoded {
  const hasMark = ([, mark]: readonly [string, readonly number[]]) =>
    mark.every((byte, at) => bytes[at] === byte);
  const [utf32] = UTF_32.find(hasMark) ?? [];
  if (utf32 !== undefined) return { fault: `input appears to be ${utf32}. Convert it to UTF-8 and retry.` };
  const [utf16] = UTF_16.find(hasMark) ?? [];
  if (utf16 !== undefined) return decodeUtf16(bytes, utf16);
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes) };
  // The byte length of the valid prefix is the offset of the first invalid byte.
  const valid = bytes.toString("utf8").split("\uFFFD", 1)[0] ?? "";
  const offset = Buffer.byteLength(valid);
  return {
    fault: `input is not valid UTF-8 (invalid byte at offset ${offset}). Convert it to UTF-8 and retry (e.g., \`iconv -f <ENC> -t UTF-8 prompt.txt\`).`,
  };
}

function decodeUtf16(bytes: Buffer, name: string): Decoded {
  try {
    return { text: new TextDecoder(name, { fatal: true }).decode(bytes) };
  } catch {
    return { fault: `input looked like ${name} but could not be decoded. Convert it to UTF-8 and retry.` };
  }
}
