import type { ContextSections } from "../engine/context/context-sections.ts";
import { fromStoredSettings } from "../engine/history/stored-settings.ts";
import type { SettingsChange } from "../engine/settings.ts";
import type { ResumedThread } from "../engine/thread.ts";
import { CONTEXT_KEY } from "../engine/turns/tell-context.ts";
import type { ResponseItem } from "../protocol/generated/types.ts";
import type { OpenedThread } from "../store/history/writing.ts";
import type { ThreadWishes } from "./thread-loader.ts";

/** A stored thread, ready to go on. */
export interface RecalledThread {
  /** What to look the configuration up with. */
  readonly wishes: ThreadWishes;
  /** What the thread itself knows better than the configuration, and its client did not ask to be otherwise. */
  readonly change: SettingsChange;
  readonly resumed: ResumedThread;
}

export function recallThread({ facts, model }: OpenedThread, wishes: ThreadWishes): RecalledThread {
  const stored = fromStoredSettings(facts.settings ?? {});
  const choosesModel =
    wishes.model != null ||
    wishes.modelProvider != null ||
    Object.keys(wishes.config ?? {}).some((key) => key === "model" || key.startsWith("model_"));
  const choosesSandbox = wishes.sandbox != null || wishes.permissions != null;
  const { model: storedModel = facts.model, effort, approvalPolicy, sandbox } = stored;
  return {
    wishes: {
      ...wishes,
      cwd: wishes.cwd ?? facts.cwd,
      modelProvider: wishes.modelProvider ?? (choosesModel ? null : facts.modelProvider),
    },
    change: {
      ...(choosesModel || storedModel === null ? {} : { model: storedModel, effort: effort ?? null }),
      ...(wishes.approvalPolicy != null || approvalPolicy === undefined ? {} : { approvalPolicy }),
      ...(choosesSandbox || sandbox === undefined ? {} : { sandbox, permissionProfile: null }),
    },
    resumed: {
      // The file keeps whatever JSON it was given; requests are made from the kinds that are known.
      items: model.items as unknown as ResponseItem[],
      told: toldIn(model.worldState),
      usage: facts.tokenUsage,
      window: windowOf(model.window),
      createdAtMs: facts.createdAtMs,
      updatedAtMs: facts.updatedAtMs,
      preview: facts.preview,
    },
  };
}

function windowOf({ number, id, firstId }: OpenedThread["model"]["window"]): ResumedThread["window"] {
  return id === null ? null : { number, id, firstId: firstId ?? id };
}

/** What the model was told, where it was Heddle who told it. */
function toldIn(worldState: OpenedThread["model"]["worldState"]): ContextSections | null {
  const told = worldState?.[CONTEXT_KEY];
  return typeof told === "object" && told !== null ? (told as ContextSections) : null;
}
