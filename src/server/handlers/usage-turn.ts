import type { Thread } from "../../engine/thread-options.ts";
import type { Turn } from "../../protocol/generated/types.ts";

/** Which of the turns that a client is shown has used the tokens; null where that is not known. */
export function usageTurnOf(
  { usageTurnId }: Pick<Thread, "usageTurnId">,
  turns: readonly Turn[],
): string | null {
  if (turns.length === 0 || turns.some(({ id }) => id === usageTurnId)) return usageTurnId;
  // Where it is not known, it is no turn that was cut off before it was answered.
  const answered = turns.findLast(({ status }) => status === "completed" || status === "failed");
  return (answered ?? turns.at(-1))?.id ?? null;
}
