import { toModelMessage } from "../input/model-message.ts";
import { toUserItem } from "../input/user-item.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";
import { readMentionedSkills } from "./mentioned-skills.ts";
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
  const words = await toModelMessage(input);
  core.record(turn, words === null ? [] : [words]);
  emit("item/started", { item, ...ids, startedAtMs });
  const completedAtMs = clock.now();
  emit("item/completed", { item: { ...item, completedAtMs }, ...ids, completedAtMs });
  core.heard(turn, message);
  core.record(turn, await readMentionedSkills(input, await core.setup(), core.log));
}

/** Takes what has come in meanwhile into the history; false when there was nothing. */
export async function hearPending(core: ThreadCore, turn: ActiveTurn): Promise<boolean> {
  const messages = turn.pending.splice(0);
  const items = turn.pendingItems.splice(0);
  core.record(turn, items);
  for (const message of messages) await hearMessage(core, turn, message);
  return messages.length + items.length > 0;
}
