// Instructions for the model in files of the user.

import { readRegularFile } from "../../base/read-regular-file.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";

/** More would not fit into the context of any model. */
const MAX_INSTRUCTION_BYTES = 8 * 1024 * 1024;

/** The base instructions: of the client, of a file, or of the configuration. */
export async function readBaseInstructions(
  wanted: string | null | undefined,
  { model_instructions_file: file, instructions }: ConfigValues,
): Promise<string | null | ThreadRefusal> {
  const fromFile = file === null ? null : await readInstructions(file, "model instructions file");
  return isRefusal(fromFile) ? fromFile : (wanted ?? fromFile ?? instructions);
}

/** The prompt for a compaction; null for the default. */
export async function readCompactPrompt(values: ConfigValues): Promise<string | null | ThreadRefusal> {
  const { experimental_compact_prompt_file: file, compact_prompt: prompt } = values;
  if (prompt !== null && prompt.trim() !== "") return prompt;
  return file === null ? null : readInstructions(file, "experimental compact prompt file");
}

/** An empty file is refused: the user named it to replace the default. */
async function readInstructions(file: string, name: string): Promise<string | ThreadRefusal> {
  const read = await readRegularFile(file, { maxBytes: MAX_INSTRUCTION_BYTES, from: "own" });
  if (read.kind === "refused") return unusable(`failed to read ${name} ${file}: ${read.message}`);
  const text = read.bytes.toString("utf8").trim();
  if (text === "") return unusable(`${name} is empty: ${file}`);
  return text;
}

function unusable(message: string): ThreadRefusal {
  return refuseInvalid(`failed to load configuration: ${message}`);
}
