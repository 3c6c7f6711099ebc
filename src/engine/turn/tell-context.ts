import { worldState } from "../../store/rollout/thread-lines.ts";
import type { TurnOfItems } from "../history/raw-events.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** Brings the model up to date about the place it works in, as it is at a time. */
export async function tellContext(
  core: ThreadCore,
  turn: TurnOfItems,
  setup: TurnSetup,
  nowMs: number,
): Promise<void> {
  const { sections, skillsWarning } = await setup.context(nowMs);
  const toldSkills = core.context.told?.rules["skills"];
  const news = core.context.update(sections);
  if (skillsWarning !== null && sections.rules["skills"] !== toldSkills) {
    core.tell("warning", { threadId: core.id, message: skillsWarning });
  }
  if (news.length === 0) return;
  core.record(turn, news);
  // What was told is kept beside it, so that a resumed thread is not told again.
  core.recorder.append(worldState({ [CONTEXT_KEY]: sections }, { full: true }));
}

/** Under this name, which belongs to no other program, the file keeps what the model was told. */
export const CONTEXT_KEY = "heddle_context";
