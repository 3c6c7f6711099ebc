import type { ItemCompletedNotification } from "../../protocol/generated/types.ts";
import type { LineBody } from "../../store/rollout/line.ts";
import { itemCompleted } from "../../store/rollout/turn-lines.ts";
import type { Emit } from "../events.ts";
import type { Recorder } from "./recorder.ts";

/** What is shown as finished is written down first. */
export function recordItems(emit: Emit, recorder: Recorder): Emit {
  return (method, params) => {
    if (method === "item/completed") recorder.append(toLine(params as ItemCompletedNotification));
    emit(method, params);
  };
}

function toLine({ threadId, turnId, item, completedAtMs }: ItemCompletedNotification): LineBody {
  const startedAtMs = item.startedAtMs ?? completedAtMs;
  return itemCompleted({ threadId, turnId, item, startedAtMs, completedAtMs });
}
