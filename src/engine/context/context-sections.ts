import type { ThreadSettings } from "../state/settings.ts";
import { type EnvironmentFacts, type EnvironmentParts, environmentParts } from "./environment-context.ts";
import { modePreset } from "./mode-presets.ts";
import { describePermissions } from "./permissions-context.ts";

/** Where the model's knowledge of the place it works in comes from. */
export interface ContextSources {
  readonly settings: ThreadSettings;
  readonly environment: EnvironmentFacts;
  /** What people have left for agents in files. */
  readonly projectDocs: string | null;
  /** The list of skills; null where there is none. */
  readonly skills: string | null;
  readonly wanted: WantedSections;
}

/** What of it the user wants the model to be told at all. */
export interface WantedSections {
  readonly permissions: boolean;
  readonly mode: boolean;
  readonly environment: boolean;
  readonly time: boolean;
}

/** What the model is to know of the place it works in. */
export interface PlaceContext {
  readonly sections: ContextSections;
  /** What the user should know of the list of skills in it. */
  readonly skillsWarning: string | null;
}

/** What the model is to know besides the conversation, by subject. */
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

function describeDocs(text: string | null, { cwd, hasMachine }: ThreadSettings): string | null {
  if (text === null) return null;
  const where = hasMachine ? ` for ${cwd}` : "";
  return `# AGENTS.md instructions${where}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}
