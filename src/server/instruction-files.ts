import { readFile } from "node:fs/promises";
import { osErrorText } from "../base/os-error.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import { invalidRequest } from "./handler.ts";

/** Who the model of a thread is to be: in the words of the client, of a file, or of the configuration. */
export async function readBaseInstructions(
  wanted: string | null | undefined,
  { model_instructions_file: file, instructions }: ConfigValues,
): Promise<string | null> {
  const fromFile = file === null ? null : await readInstructions(file);
  return wanted ?? fromFile ?? instructions;
}

/** Whoever names a file does not want the usual instructions, so that one without words is refused. */
async function readInstructions(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unusable(`failed to read model instructions file ${file}: ${osErrorText(error)}`);
  });
  if (text.trim() === "") throw unusable(`model instructions file is empty: ${file}`);
  return text.trim();
}

function unusable(message: string): Error {
  return invalidRequest(`failed to load configuration: ${message}`);
}
