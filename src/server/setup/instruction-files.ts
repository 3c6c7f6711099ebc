// Words for the model that a user keeps in files of their own.
import { readFile } from "node:fs/promises";
import { osErrorText } from "../../base/os-error.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { invalidRequest } from "../handler.ts";

/** Who the model of a thread is to be: in the words of the client, of a file, or of the configuration. */
export async function readBaseInstructions(
  wanted: string | null | undefined,
  { model_instructions_file: file, instructions }: ConfigValues,
): Promise<string | null> {
  const fromFile = file === null ? null : await readInstructions(file, "model instructions file");
  return wanted ?? fromFile ?? instructions;
}

/** What the model is asked for when the history becomes too long; null for the usual words. */
export async function readCompactPrompt(values: ConfigValues): Promise<string | null> {
  const { experimental_compact_prompt_file: file, compact_prompt: prompt } = values;
  if (prompt !== null && prompt.trim() !== "") return prompt;
  return file === null ? null : readInstructions(file, "experimental compact prompt file");
}

/** Whoever names a file does not want the usual words, so that one without any is refused. */
async function readInstructions(file: string, name: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unusable(`failed to read ${name} ${file}: ${osErrorText(error)}`);
  });
  if (text.trim() === "") throw unusable(`${name} is empty: ${file}`);
  return text.trim();
}

function unusable(message: string): Error {
  return invalidRequest(`failed to load configuration: ${message}`);
}
