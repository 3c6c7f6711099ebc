import type { ResponseItem, UserInput } from "../../protocol/generated/types.ts";
import { toModelMessage } from "../input/model-message.ts";
import { toUserItem } from "../input/user-item.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";
import { readMentionedSkills } from "./mentioned-skills.ts";
import type { ThreadCore } from "./thread-core.ts";

/** What a user has said, together with what the model is told of it. */
export interface Words {
  readonly message: Message;
  readonly items: readonly ResponseItem[];
}

export async function readWords(core: ThreadCore, message: Message): Promise<Words> {
  const { input } = message;
  const setup = await core.setup();
  const said = await toModelMessage(setup.info.isFallback ? input.map(withCommonDetail) : input);
  const skills = await readMentionedSkills(input, setup, core.log);
  return { message, items: core.name(said === null ? skills : [said, ...skills]) };
}

/** Models of which nothing is known may not take images in their full resolution. */
function withCommonDetail(part: UserInput): UserInput {
  const isImage = part.type === "image" || part.type === "localImage";
  return isImage && part.detail === "original" ? { ...part, detail: "high" } : part;
}

/** Shows what the user said; the history has it already. */
export function showWords(core: ThreadCore, turn: ActiveTurn, { message }: Words): void {
  const { id: threadId, emit, clock, createId } = core;
  const { input, clientUserMessageId, clientMetadata } = message;
  turn.clientMetadata = clientMetadata ?? turn.clientMetadata;
  if (input.length === 0) return;
  const ids = { threadId, turnId: turn.id };
  const startedAtMs = clock.now();
  const item = toUserItem(createId(), clientUserMessageId, input, startedAtMs);
  emit("item/started", { item, ...ids, startedAtMs });
  const completedAtMs = clock.now();
  emit("item/completed", { item: { ...item, completedAtMs }, ...ids, completedAtMs });
  core.heard(turn, message);
}

/** Takes what has come in meanwhile into the history; false when there was nothing. */
export function hearPending(core: ThreadCore, turn: ActiveTurn): boolean {
  const words = turn.pending.splice(0);
  const items = turn.pendingItems.splice(0);
  core.remember(turn, items);
  for (const each of words) {
    core.remember(turn, each.items);
    showWords(core, turn, each);
  }
  return words.length + items.length > 0;
}
