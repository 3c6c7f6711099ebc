import type { ThreadSettings } from "../settings.ts";
import { type EnvironmentFacts, type EnvironmentParts, environmentParts } from "./environment-context.ts";
import { describePermissions } from "./permissions-context.ts";
import { PLAN_MODE } from "./plan-mode.ts";

/** Where the model's knowledge of the place it works in comes from. */
export interface ContextSources {
  readonly settings: ThreadSettings;
  readonly environment: EnvironmentFacts;
  /** What people have left for agents in files. */
  readonly projectDocs: string | null;
  readonly skills: readonly ListedSkill[];
}

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  /** Of its SKILL.md. */
  readonly path: string;
}

/** What the model is to know besides the conversation, by subject. */
export interface ContextSections {
  readonly model: string;
  readonly rules: Readonly<Record<string, string | null>>;
  readonly docs: string | null;
  readonly environment: EnvironmentParts;
}

export function describeContext({
  settings,
  environment,
  projectDocs,
  skills,
}: ContextSources): ContextSections {
  return {
    model: settings.model,
    rules: {
      developer: settings.developerInstructions || null,
      skills: describeSkills(skills),
      permissions: describePermissions(settings),
      mode: describeMode(settings),
    },
    docs: describeDocs(projectDocs, settings.cwd),
    environment: environmentParts(settings, environment),
  };
}

function describeMode({ mode, modeInstructions }: ThreadSettings): string | null {
  const text = modeInstructions ?? (mode === "plan" ? PLAN_MODE : null);
  return text === null ? null : `<collaboration_mode>${text}</collaboration_mode>`;
}

function describeDocs(text: string | null, cwd: string): string | null {
  return text === null
    ? null
    : `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`;
}

function describeSkills(skills: readonly ListedSkill[]): string | null {
  if (skills.length === 0) return null;
  const lines = skills.map(({ name, description, path }) => `- ${name}: ${description} (file: ${path})`);
  return [
    "<skills_instructions>",
    "These skills are written down on this machine. When the user names one, or the task is what its description says,",
    "read its file first and follow it.",
    ...lines,
    "</skills_instructions>",
  ].join("\n");
}
