import type { ResponseItem, UserInput } from "../../protocol/generated/types.ts";
import { itemCompleted } from "../../store/rollout/turn-lines.ts";
import { toModelMessage } from "../input/model-message.ts";
import { toUserItem } from "../input/user-item.ts";
import type { ActiveTurn, Message } from "./active-turn.ts";
import { readMentionedSkills } from "./mentioned-skills.ts";
import type { ThreadCore } from "./thread-core.ts";

/** What a user has said, together with what the model is told of it. */
export interface Words {
  readonly message: Message;
  readonly items: readonly ResponseItem[];
  /** How it is shown; null when there is nothing to show. */
  readonly item: UserItem | null;
  /** Both are written down. */
  readonly isKept: boolean;
}

type UserItem = ReturnType<typeof toUserItem>;

export async function readWords(core: ThreadCore, message: Message): Promise<Words> {
  const { input } = message;
  const setup = await core.setup();
  const said = await toModelMessage(setup.info.isFallback ? input.map(withCommonDetail) : input);
  const skills = await readMentionedSkills(input, setup, core.log);
  const { clock, createId } = core;
  const item =
    input.length === 0 ? null : toUserItem(createId(), message.clientUserMessageId, input, clock.now());
  return { message, items: core.name(said === null ? skills : [said, ...skills]), item, isKept: false };
}

/** Writes down what the user said, for the model and for clients, so that it can be answered as accepted. */
export function keepWords(core: ThreadCore, turnId: string, words: Words): Words {
  const { recorder, id: threadId } = core;
  if (recorder.path === null) return words;
  core.keep(words.items);
  if (words.item !== null) {
    const startedAtMs = words.item.startedAtMs ?? core.clock.now();
    const item = { ...words.item, completedAtMs: startedAtMs };
    recorder.append(itemCompleted({ threadId, turnId, item, startedAtMs, completedAtMs: startedAtMs }));
  }
  return { ...words, isKept: true };
}

/** Models of which nothing is known may not take images in their full resolution. */
function withCommonDetail(part: UserInput): UserInput {
  const isImage = part.type === "image" || part.type === "localImage";
  return isImage && part.detail === "original" ? { ...part, detail: "high" } : part;
}

/** Shows what the user said, and writes it down where that was not done, or was done before other things. */
export function showWords(core: ThreadCore, turn: ActiveTurn, { message, item, isKept }: Words): void {
  turn.clientMetadata = message.clientMetadata ?? turn.clientMetadata;
  if (item === null) return;
  const ids = { threadId: core.id, turnId: turn.id };
  const emit = isKept ? core.tell : core.emit;
  const startedAtMs = item.startedAtMs ?? core.clock.now();
  emit("item/started", { item, ...ids, startedAtMs });
  emit("item/completed", {
    item: { ...item, completedAtMs: startedAtMs },
    ...ids,
    completedAtMs: startedAtMs,
  });
  core.heard(turn, message);
}

/** Takes what has come in meanwhile into the history; false when there was nothing. */
export function hearPending(core: ThreadCore, turn: ActiveTurn): boolean {
  const words = turn.pending.splice(0);
  const items = turn.pendingItems.splice(0);
  core.remember(turn, items);
  for (const each of words) {
    core.remember(turn, each.items);
    // Other items may have come between its acceptance and this, its place among them.
    showWords(core, turn, { ...each, isKept: each.isKept && turn.lost !== null });
  }
  return words.length + items.length > 0;
}
