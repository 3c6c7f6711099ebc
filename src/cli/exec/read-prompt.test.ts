import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { type PromptOptions, readPrompt } from "./read-prompt.ts";

function read(argument: string | null, input: Buffer | string | null, takesBoth = true) {
  const said: string[] = [];
  // Null input simulates a terminal, which must not be read.
  const stream =
    input === null
      ? new Readable({
          read: () => {
            throw new Error("read from a terminal");
          },
        })
      : Readable.from([Buffer.from(input)]);
  const stdin: PromptOptions["stdin"] = Object.assign(stream, { isTTY: input === null });
  const prompt = readPrompt({ argument, takesBoth, stdin, printLine: (line) => said.push(line) });
  return prompt.then((found) => ({ ...found, said }));
}

const WAITS = "Reading prompt from stdin...";
const ADDS = "Reading additional input from stdin...";

test.each<[argument: string | null, input: Buffer | string | null, text: string, said: string[]]>([
  ["Do", null, "Do", []],
  ["Do", "", "Do", [ADDS]],
  ["Do", " \n", "Do", [ADDS]],
  ["Do", "this", "Do\n\n<stdin>\nthis\n</stdin>", [ADDS]],
  ["Do", "this\n", "Do\n\n<stdin>\nthis\n</stdin>", [ADDS]],
  ["", "this", "\n\n<stdin>\nthis\n</stdin>", [ADDS]],
  [null, "this\n", "this\n", [WAITS]],
  ["-", "this", "this", []],
  ["-", Buffer.from("\uFEFFthis"), "this", []],
  ["-", Buffer.from("\uFEFFthis ✓", "utf16le"), "this ✓", []],
  ["-", Buffer.from("\uFEFFab", "utf16le").swap16(), "ab", []],
])("%j with %j", async (argument, input, text, said) => {
  expect(await read(argument, input)).toEqual({ kind: "prompt", text, said });
});

test("stdin is not read if a resumed thread has a prompt argument", async () => {
  expect(await read("Do", "this", false)).toEqual({ kind: "prompt", text: "Do", said: [] });
});

const BAD = "Failed to read prompt from stdin: input";
test.each<[argument: string | null, input: Buffer | string | null, message: string]>([
  [null, null, "No prompt provided. Either specify one as an argument or pipe the prompt into stdin."],
  [null, " \n", "No prompt provided via stdin."],
  ["-", "", "No prompt provided via stdin."],
  ["-", Buffer.from([0x41, 0xff, 0x42]), `${BAD} is not valid UTF-8 (invalid byte at offset 1).`],
  ["-", Buffer.from([0xff, 0xfe, 0x41]), `${BAD} looked like UTF-16LE but could not be decoded.`],
  ["-", Buffer.from([0xff, 0xfe, 0, 0, 1]), `${BAD} appears to be UTF-32LE.`],
  [
    "-",
    Buffer.alloc(4 * 1024 * 1024 + 1, 65),
    "Failed to read prompt from stdin: the text on stdin is too long",
  ],
])("%j without a usable prompt", async (argument, input, message) => {
  expect(await read(argument, input)).toMatchObject({
    kind: "missing",
    message: expect.stringContaining(message),
  });
});
