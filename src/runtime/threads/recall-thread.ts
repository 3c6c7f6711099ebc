import type { ContextSections } from "../../engine/context/context-sections.ts";
import type { RestoredHistory, SubmittedItems } from "../../engine/history/thread-history.ts";
import type { SettingsChange } from "../../engine/state/settings.ts";
import { fromStoredSettings, storedProfile } from "../../engine/state/stored-settings.ts";
import type { ResumedThread } from "../../engine/thread-options.ts";
import { CONTEXT_KEY } from "../../engine/turn/model-context.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { ModelHistory } from "../../store/lines/model-history.ts";
import type { ThreadFacts } from "../../store/lines/thread-facts.ts";
import type { OpenedThread } from "../../store/thread-store.ts";
import type { ThreadOverrides } from "./resolve-thread.ts";

/** A stored thread, ready to be loaded. */
export interface RecalledThread {
  /** Overrides with which the configuration is resolved. */
  readonly overrides: ThreadOverrides;
  /** Stored settings that win over the configuration, where the client does not override them. */
  readonly change: SettingsChange;
  readonly resumed: Omit<ResumedThread, "hasCurrentSettings">;
}

export function recallThread(
  { facts, model }: Pick<OpenedThread, "facts" | "model">,
  overrides: ThreadOverrides,
): RecalledThread {
  const permissions = recallProfile(facts, overrides);
  const choosesModel =
    overrides.model != null ||
    overrides.modelProvider != null ||
    Object.keys(overrides.config ?? {}).some((key) => key === "model" || key.startsWith("model_"));
  return {
    overrides: {
      ...overrides,
      cwd: overrides.cwd ?? facts.cwd,
      modelProvider: overrides.modelProvider ?? (choosesModel ? null : facts.modelProvider),
      // A profile is looked up again: what it allows may have changed.
      ...(permissions === null ? {} : { permissions }),
    },
    change: {
      ...(choosesModel ? {} : recallModel(facts)),
      ...recallPermissions(facts, overrides),
      ...recallWorkspace(facts, overrides),
    },
    resumed: {
      recall: async () => toRestoredHistory(await model()),
      usage: facts.tokenUsage,
      usageTurnId: facts.usageTurnId,
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

export function recallProfile({ settings }: ThreadFacts, overrides: ThreadOverrides): string | null {
  return choosesSandbox(overrides) ? null : storedProfile(settings ?? {});
}

/** Whether the client chooses the sandbox of the thread. */
function choosesSandbox(overrides: ThreadOverrides): boolean {
  if (overrides.sandbox != null || overrides.permissions != null) return true;
  return configures(overrides, "sandbox_mode") || configures(overrides, "default_permissions");
}

function configures({ config }: ThreadOverrides, key: string): boolean {
  return Object.hasOwn(config ?? {}, key);
}

/** Stored permissions, where the client does not override them. */
export function recallPermissions({ settings }: ThreadFacts, overrides: ThreadOverrides): SettingsChange {
  const stored = settings ?? {};
  const { approvalPolicy, approvalsReviewer, sandbox } = fromStoredSettings(stored);
  const keepsPolicy = overrides.approvalPolicy == null && !configures(overrides, "approval_policy");
  const keepsReviewer = overrides.approvalsReviewer == null && !configures(overrides, "approvals_reviewer");
  // Writable folders are not restored from the file; they are granted again by a profile or the
  // configuration.
  const isGranted = storedProfile(stored) !== null || sandbox?.type === "workspaceWrite";
  const keepsSandbox = !choosesSandbox(overrides) && !isGranted;
  return {
    ...(keepsPolicy && approvalPolicy !== undefined ? { approvalPolicy } : {}),
    ...(keepsReviewer && approvalsReviewer !== undefined ? { approvalsReviewer } : {}),
    ...(keepsSandbox && sandbox !== undefined ? { sandbox, permissionProfile: null } : {}),
  };
}

function recallWorkspace({ settings }: ThreadFacts, overrides: ThreadOverrides): SettingsChange {
  const chooses = [overrides.cwd, overrides.environments, overrides.runtimeWorkspaceRoots].some(
    (each) => each != null,
  );
  if (chooses || settings === null) return {};
  const { workspaceRoots, hasMachine } = fromStoredSettings(settings);
  return {
    ...(workspaceRoots === undefined ? {} : { workspaceRoots }),
    ...(hasMachine === undefined ? {} : { hasMachine }),
  };
}

function toRestoredHistory({ items, submitted, worldState, window }: ModelHistory): RestoredHistory {
  return {
    // The file may contain any JSON; requests are built from the known kinds.
    items: items as unknown as ResponseItem[],
    submitted: submitted as unknown as readonly SubmittedItems[],
    sentContext: sentContextOf(worldState),
    window: windowOf(window),
  };
}

function windowOf({ number, id, firstId }: ModelHistory["window"]): RestoredHistory["window"] {
  return id === null ? null : { number, id, firstId: firstId ?? id };
}

/** The context sections that the model was sent, if Heddle recorded them. */
function sentContextOf(worldState: ModelHistory["worldState"]): ContextSections | null {
  const sent = worldState?.[CONTEXT_KEY];
  return typeof sent === "object" && sent !== null ? (sent as ContextSections) : null;
}
