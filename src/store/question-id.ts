/** The id of a question, which it keeps for good. */
import type { AskedDecision } from "./decisions.ts";

/** The time tells a decision from one with the same number in a database that was lost. */
export function questionId({ number, atMs }: Pick<AskedDecision, "number" | "atMs">): string {
  return `${number}-${atMs.toString(36)}`;
}

/** The number of a decision from its id, or from the number alone; null for anything else. */
export function parseQuestionId(
  text: string,
): { readonly number: number; readonly atMs: number | null } | null {
  const match = /^(\d{1,15})(?:-([0-9a-z]{1,12}))?$/.exec(text);
  if (match === null) return null;
  const [, number = "", time] = match;
  return { number: Number(number), atMs: time === undefined ? null : Number.parseInt(time, 36) };
}
