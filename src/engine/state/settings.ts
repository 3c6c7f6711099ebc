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

/** How a thread's turns run. Each turn may change them, for itself and those that follow. */
export interface ThreadSettings {
  readonly model: string;
  readonly modelProvider: string;
  /** The folder that the thread belongs to: its project, whether that is trusted, its configuration. */
  readonly cwd: string;
  /** The folder that commands start in; null where that is the thread's own. */
  readonly machineCwd: string | null;
  /** The folders that the thread is about; null for the working folder alone. */
  readonly workspaceRoots: readonly string[] | null;
  /** Whether there is a machine to work on; without one nothing runs, and no project is looked at. */
  readonly hasMachine: boolean;
  readonly approvalPolicy: AskForApproval;
  readonly approvalsReviewer: ApprovalsReviewer;
  readonly sandbox: SandboxPolicy;
  /** The named profile that the sandbox follows from; null where a mode was chosen instead. */
  readonly permissionProfile: { readonly id: string; readonly extends: string | null } | null;
  readonly effort: ReasoningEffort | null;
  readonly summary: ReasoningSummary | null;
  readonly serviceTier: string | null;
  readonly personality: Personality | null;
  readonly mode: ModeKind;
  /** What the mode adds to the instructions. */
  readonly modeInstructions: string | null;
  readonly baseInstructions: string | null;
  readonly developerInstructions: string | null;
}

/** The rights of a thread that spawned another one, which never exceeds them. */
export interface RightsCeiling extends Pick<ThreadSettings, "approvalPolicy" | "sandbox"> {
  /** The folders that commands may write, the working folder included. */
  readonly writableRoots: readonly string[];
}

/** Members that are absent stay as they are. */
export type SettingsChange = Partial<ThreadSettings>;

/** The settings with a change made; the same object when it changes nothing. */
export function changeSettings(settings: ThreadSettings, change: SettingsChange): ThreadSettings {
  if (Object.keys(change).length === 0) return settings;
  const changed = { ...settings, ...change };
  return JSON.stringify(changed) === JSON.stringify(settings) ? settings : changed;
}

/** The folder that commands start in, and whose instructions the model is given. */
export function workFolderOf({ cwd, machineCwd }: ThreadSettings): string {
  return machineCwd ?? cwd;
}

export function workspaceRootsOf(settings: ThreadSettings): readonly string[] {
  const { workspaceRoots, hasMachine } = settings;
  return hasMachine ? (workspaceRoots ?? [workFolderOf(settings)]) : [];
}

/** The folder that a sandbox calls its workspace. */
export function workspaceRootOf(settings: ThreadSettings): string {
  return workspaceRootsOf(settings)[0] ?? workFolderOf(settings);
}

/** Folders that may be written, each once. */
export function writableRootsOf(settings: ThreadSettings): readonly string[] {
  const { sandbox } = settings;
  const named = sandbox.type === "workspaceWrite" ? (sandbox.writableRoots ?? []) : [];
  return [...new Set([...workspaceRootsOf(settings), ...named])];
}

/** The settings as clients see them. */
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
