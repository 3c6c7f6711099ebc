import type {
  ApprovalsReviewer,
  AskForApproval,
  CollaborationMode,
  ModeKind,
  Personality,
  ReasoningEffort,
  ReasoningSummary,
  SandboxPolicy,
  ThreadSettings as SettingsView,
} from "../../protocol/generated/types.ts";

/** The settings of a thread's turns. Each turn may change them, for itself and later turns. */
export interface ThreadSettings {
  readonly model: string;
  readonly modelProvider: string;
  /** The folder that determines the thread's project, its trust and its configuration. */
  readonly cwd: string;
  /** The folder that commands start in; null where it is `cwd`. */
  readonly machineCwd: string | null;
  /** The workspace folders; null for the work folder alone. */
  readonly workspaceRoots: readonly string[] | null;
  /** Whether commands can run; without a machine no project files are read either. */
  readonly hasMachine: boolean;
  readonly approvalPolicy: AskForApproval;
  readonly approvalsReviewer: ApprovalsReviewer;
  readonly sandbox: SandboxPolicy;
  /** The named profile that the sandbox is derived from; null where a mode was chosen instead. */
  readonly permissionProfile: { readonly id: string; readonly extends: string | null } | null;
  readonly effort: ReasoningEffort | null;
  readonly summary: ReasoningSummary | null;
  readonly serviceTier: string | null;
  readonly personality: Personality | null;
  readonly mode: ModeKind;
  /** Additional instructions of the mode. */
  readonly modeInstructions: string | null;
  readonly baseInstructions: string | null;
  readonly developerInstructions: string | null;
}

/** The rights of a parent thread, which a spawned thread never exceeds. */
export interface RightsCeiling extends Pick<ThreadSettings, "approvalPolicy" | "sandbox"> {
  /** The folders that commands may write, including the work folder. */
  readonly writableRoots: readonly string[];
}

/** Absent members stay unchanged. */
export type SettingsChange = Partial<ThreadSettings>;

/** Applies a change; returns the same object when nothing changes. */
export function changeSettings(settings: ThreadSettings, change: SettingsChange): ThreadSettings {
  if (Object.keys(change).length === 0) return settings;
  const changed = { ...settings, ...change };
  return JSON.stringify(changed) === JSON.stringify(settings) ? settings : changed;
}

/** The folder that commands start in and that project instructions are read from. */
export function workFolderOf({ cwd, machineCwd }: ThreadSettings): string {
  return machineCwd ?? cwd;
}

export function workspaceRootsOf(settings: ThreadSettings): readonly string[] {
  const { workspaceRoots, hasMachine } = settings;
  return hasMachine ? (workspaceRoots ?? [workFolderOf(settings)]) : [];
}

/** The workspace folder of the sandbox. */
export function workspaceRootOf(settings: ThreadSettings): string {
  return workspaceRootsOf(settings)[0] ?? workFolderOf(settings);
}

/** The folders that commands may write, without duplicates. */
export function writableRootsOf(settings: ThreadSettings): readonly string[] {
  const { sandbox } = settings;
  const named = sandbox.type === "workspaceWrite" ? (sandbox.writableRoots ?? []) : [];
  return [...new Set([...workspaceRootsOf(settings), ...named])];
}

/** Converts settings to their wire view. */
export function toSettingsView(settings: ThreadSettings): SettingsView {
  return {
    disabledPluginIds: [],
    cwd: settings.cwd,
    approvalPolicy: settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    sandboxPolicy: settings.sandbox,
    activePermissionProfile: settings.permissionProfile,
    model: settings.model,
    modelProvider: settings.modelProvider,
    serviceTier: settings.serviceTier,
    effort: settings.effort,
    summary: settings.summary,
    collaborationMode: toCollaborationMode(settings),
    multiAgentMode: "explicitRequestOnly",
    personality: settings.personality,
  };
}

export function toCollaborationMode(settings: ThreadSettings): CollaborationMode {
  return {
    mode: settings.mode,
    settings: {
      model: settings.model,
      reasoning_effort: settings.effort,
      developer_instructions: settings.modeInstructions,
    },
  };
}
