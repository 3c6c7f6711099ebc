import { toModelMessage, toUserItem } from "../user-message.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";

/** Takes what the user says into the history and shows it. */
export async function hearMessage(core: ThreadCore, turn: ActiveTurn, message: Message): Promise<void> {
  const { id: threadId, emit, clock, createId } = core;
  const { input, clientUserMessageId, clientMetadata } = message;
  turn.clientMetadata = clientMetadata ?? turn.clientMetadata;
  if (input.length === 0) return;
  const ids = { threadId, turnId: turn.id };
  const startedAtMs = clock.now();
  const item = toUserItem(createId(), clientUserMessageId, input, startedAtMs);
  core.record(turn, [toModelMessage(input)]);
  emit("item/started", { item, ...ids, startedAtMs });
  const completedAtMs = clock.now();
  emit("item/completed", { item: { ...item, completedAtMs }, ...ids, completedAtMs });
  core.heard(turn, message);
}
