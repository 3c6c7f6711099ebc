import type { UserInput } from "../protocol/generated/types.ts";

/** The input of a turn: a text, or its parts. */
export type Input = string | readonly UserInput[];

export function toUserInput(input: Input): UserInput[] {
  return typeof input === "string" ? [{ type: "text", text: input }] : [...input];
}
