import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import { type ThreadSettings, workFolderOf } from "../state/settings.ts";
import { type EnvironmentFacts, type EnvironmentParts, environmentParts } from "./environment-context.ts";
import { modePreset } from "./instructions.ts";

/** The sources of a thread's context sections. */
export interface ContextSources {
  readonly settings: ThreadSettings;
  readonly environment: EnvironmentFacts;
  /** The text of the instruction files, such as AGENTS.md. */
  readonly projectDocs: string | null;
  /** The list of skills; null where there are none. */
  readonly skills: string | null;
  readonly wanted: WantedSections;
}

/** The sections that the configuration leaves enabled. */
export interface WantedSections {
  readonly permissions: boolean;
  readonly mode: boolean;
  readonly environment: boolean;
  readonly time: boolean;
}

/** The context sections of a turn, with a warning for the user. */
export interface ModelContext {
  readonly sections: ContextSections;
  /** Warns the user that the list of skills was shortened. */
  readonly skillsWarning: string | null;
}

/** The context of a conversation: everything that the model receives beside the messages, by section. */
export interface ContextSections {
  readonly model: string;
  readonly rules: Readonly<Record<string, string | null>>;
  readonly docs: string | null;
  readonly environment: EnvironmentParts | null;
}

export function describeContext({
  settings,
  environment,
  projectDocs,
  skills,
  wanted,
}: ContextSources): ContextSections {
  return {
    model: settings.model,
    rules: {
      developer: settings.developerInstructions || null,
      skills,
      permissions: wanted.permissions ? describePermissions(settings) : null,
      mode: wanted.mode ? describeMode(settings) : null,
    },
    docs: describeDocs(projectDocs, settings),
    environment: wanted.environment
      ? { ...environmentParts(settings, environment), ...(wanted.time ? {} : { time: "" }) }
      : null,
  };
}

function describeMode({ mode, modeInstructions }: ThreadSettings): string | null {
  const text = modeInstructions ?? (mode === "plan" ? modePreset(mode) : null);
  return text === null ? null : `<collaboration_mode>${text}</collaboration_mode>`;
}

function describeDocs(text: string | null, settings: ThreadSettings): string | null {
  if (text === null) return null;
  const where = settings.hasMachine ? ` for ${workFolderOf(settings)}` : "";
  return `# AGENTS.md instructions${where}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}

/** Describes the sandbox and the approval policy to the model. */
export function describePermissions({ sandbox, approvalPolicy }: ThreadSettings): string {
  return `<permissions instructions>\n${describeSandbox(sandbox)}\n${describePolicy(approvalPolicy)}\n</permissions instructions>`;
}

function describeSandbox(sandbox: SandboxPolicy): string {
  switch (sandbox.type) {
    case "readOnly":
      return `Commands run in a sandbox of mode \`read-only\`: they can read files and write none. ${describeNetwork(sandbox.networkAccess ?? false)}`;
    case "workspaceWrite":
      return `Commands run in a sandbox of mode \`workspace-write\`: they can read files, and write in the workspace roots. ${describeNetwork(sandbox.networkAccess ?? false)}`;
    case "externalSandbox":
      return `Commands run in a sandbox that others have set up. ${describeNetwork(sandbox.networkAccess === "enabled")}`;
    case "dangerFullAccess":
      return "Commands run without a sandbox (`danger-full-access`): they can do whatever the user can.";
  }
}

function describeNetwork(enabled: boolean): string {
  return enabled ? "They can use the network." : "They cannot use the network.";
}

function describePolicy(policy: AskForApproval): string {
  if (typeof policy === "object") {
    return "The approval policy is `granular`: some requests for leave reach the user, others are denied at once.";
  }
  switch (policy) {
    case "never":
      return "The approval policy is `never`: nobody will be asked. Do not ask for `sandbox_permissions`; find another way when a command is refused.";
    case "on-request":
      return "The approval policy is `on-request`: for a command that must leave the sandbox, set `sandbox_permissions` to `require_escalated` and give the reason in `justification`.";
    case "untrusted":
      return "The approval policy is `untrusted`: the user is asked about every command that is not known to be harmless.";
  }
}
