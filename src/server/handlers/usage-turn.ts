import type { Thread } from "../../engine/thread-options.ts";
import type { Turn } from "../../protocol/generated/types.ts";

/**
 * The id of the turn to which token usage is attributed, out of the turns of the response; null if unknown.
 */
export function usageTurnOf(
  { usageTurnId }: Pick<Thread, "usageTurnId">,
  turns: readonly Turn[],
): string | null {
  if (turns.length === 0 || turns.some(({ id }) => id === usageTurnId)) return usageTurnId;
  // Without a recorded turn, prefer one that reached the model over one that was interrupted.
  const answered = turns.findLast(({ status }) => status === "completed" || status === "failed");
  return (answered ?? turns.at(-1))?.id ?? null;
}
