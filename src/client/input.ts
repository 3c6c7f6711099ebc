import type { UserInput } from "../protocol/generated/types.ts";

/** What a turn is told: a text, or its parts. */
export type Input = string | readonly UserInput[];

export function toUserInput(input: Input): UserInput[] {
  return typeof input === "string" ? [{ type: "text", text: input }] : [...input];
}
