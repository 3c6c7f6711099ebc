import type { ContextSections } from "../engine/context/context-sections.ts";
import { fromStoredSettings } from "../engine/history/stored-settings.ts";
import type { Remembered } from "../engine/history/thread-memory.ts";
import type { SettingsChange } from "../engine/settings.ts";
import type { ResumedThread } from "../engine/thread-options.ts";
import { CONTEXT_KEY } from "../engine/turns/tell-context.ts";
import type { ResponseItem } from "../protocol/generated/types.ts";
import type { OpenedThread } from "../store/history/writing.ts";
import type { ModelHistory } from "../store/rollout/model-history.ts";
import type { ThreadFacts } from "../store/rollout/thread-facts.ts";
import type { ThreadWishes } from "./thread-resolution.ts";

/** A stored thread, ready to go on. */
export interface RecalledThread {
  /** What to look the configuration up with. */
  readonly wishes: ThreadWishes;
  /** What the thread itself knows better than the configuration, and its client did not ask to be otherwise. */
  readonly change: SettingsChange;
  readonly resumed: ResumedThread;
}

export function recallThread({ facts, model }: OpenedThread, wishes: ThreadWishes): RecalledThread {
  const choosesModel =
    wishes.model != null ||
    wishes.modelProvider != null ||
    Object.keys(wishes.config ?? {}).some((key) => key === "model" || key.startsWith("model_"));
  return {
    wishes: {
      ...wishes,
      cwd: wishes.cwd ?? facts.cwd,
      modelProvider: wishes.modelProvider ?? (choosesModel ? null : facts.modelProvider),
    },
    change: { ...(choosesModel ? {} : recallModel(facts)), ...recallPermissions(facts, wishes) },
    resumed: {
      recall: async () => toRemembered(await model()),
      usage: facts.tokenUsage,
      createdAtMs: facts.createdAtMs,
      updatedAtMs: facts.updatedAtMs,
      preview: facts.preview,
    },
  };
}

function recallModel(facts: ThreadFacts): SettingsChange {
  const { model = facts.model, effort = null } = fromStoredSettings(facts.settings ?? {});
  return model === null ? {} : { model, effort };
}

function recallPermissions(facts: ThreadFacts, wishes: ThreadWishes): SettingsChange {
  const { approvalPolicy, sandbox } = fromStoredSettings(facts.settings ?? {});
  const choosesSandbox = wishes.sandbox != null || wishes.permissions != null;
  return {
    ...(wishes.approvalPolicy != null || approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(choosesSandbox || sandbox === undefined ? {} : { sandbox, permissionProfile: null }),
  };
}

function toRemembered({ items, worldState, window }: ModelHistory): Remembered {
  return {
    // The file keeps whatever JSON it was given; requests are made from the kinds that are known.
    items: items as unknown as ResponseItem[],
    told: toldIn(worldState),
    window: windowOf(window),
  };
}

function windowOf({ number, id, firstId }: ModelHistory["window"]): Remembered["window"] {
  return id === null ? null : { number, id, firstId: firstId ?? id };
}

/** What the model was told, where it was Heddle who told it. */
function toldIn(worldState: ModelHistory["worldState"]): ContextSections | null {
  const told = worldState?.[CONTEXT_KEY];
  return typeof told === "object" && told !== null ? (told as ContextSections) : null;
}
