/** The reasoning of a model, in one line and as a whole. */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { durationText } from "../text/time.ts";

export type ReasoningItem = Extract<ThreadItem, { type: "reasoning" }>;

export function textOfReasoning({ summary, content }: ReasoningItem): string {
  return (summary.length > 0 ? summary : content).join("\n\n");
}

export function headOfReasoning(item: ReasoningItem, isOpen: boolean): string {
  const { startedAtMs, completedAtMs } = item;
  const took = startedAtMs != null && completedAtMs != null ? completedAtMs - startedAtMs : null;
  const head = isOpen ? "Thinks" : took === null ? "Thought" : `Thought for ${durationText(took)}`;
  const first = textOfReasoning(item).replaceAll("*", "").trim().split("\n", 1)[0] ?? "";
  return first === "" ? head : `${head}: ${first}`;
}
