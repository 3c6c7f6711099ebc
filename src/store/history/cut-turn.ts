import type { HistoryIndex } from "../history-index.ts";
import type { LineBody } from "../rollout/line.ts";
import type { CutTurn } from "../rollout/turn-lines.ts";
import { type Span, unfinishedTurn } from "./spans.ts";

const NO_ID: CutTurn = { turnId: null, rootTurnId: null, startedAt: null };

/** The turn that a history ends within; old files, of which the lines are given, may end within one that has no id. */
export async function findCutTurn(
  index: HistoryIndex,
  spans: readonly Span[],
  copied: readonly LineBody[],
): Promise<CutTurn | null> {
  const open = await unfinishedTurn(index, spans);
  if (open !== null) return open;
  const types = copied.map(({ type, payload }) => (type === "event_msg" ? payload["type"] : null));
  const last = types.lastIndexOf("user_message");
  const isEnded = types.slice(last + 1).some((type) => type === "task_complete" || type === "turn_aborted");
  return last < 0 || isEnded ? null : NO_ID;
}
