import type { ResponseItem } from "../../protocol/generated/types.ts";
import { previewOf, toModelMessage, toUserItem } from "../user-message.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";

/** Takes what the user says into the history and shows it. Returns it as lists of threads show it. */
export async function hearMessage(
  { id: threadId, emit, clock, createId }: ThreadCore,
  turn: ActiveTurn,
  { input, clientUserMessageId, clientMetadata }: Message,
  history: ResponseItem[],
): Promise<string> {
  turn.clientMetadata = clientMetadata ?? turn.clientMetadata;
  if (input.length === 0) return "";
  const ids = { threadId, turnId: turn.id };
  const startedAtMs = clock.now();
  const item = toUserItem(createId(), clientUserMessageId, input, startedAtMs);
  history.push(toModelMessage(input));
  emit("item/started", { item, ...ids, startedAtMs });
  const completedAtMs = clock.now();
  emit("item/completed", { item: { ...item, completedAtMs }, ...ids, completedAtMs });
  return previewOf(input);
}
