import type { ThreadSettings } from "../settings.ts";
import { describeEnvironment, type EnvironmentFacts } from "./environment-context.ts";
import { describePermissions } from "./permissions-context.ts";

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

/** What the model is told besides the conversation, by subject: rules of the developer first, then facts for the user. */
export interface ContextSections {
  readonly rules: Readonly<Record<string, string | null>>;
  readonly facts: Readonly<Record<string, string | null>>;
}

export function describeContext({
  settings,
  environment,
  projectDocs,
  skills,
}: ContextSources): ContextSections {
  return {
    rules: {
      skills: describeSkills(skills),
      permissions: describePermissions(settings),
      developer: settings.developerInstructions,
      mode: describeMode(settings),
    },
    facts: {
      docs: describeDocs(projectDocs, settings.cwd),
      environment: describeEnvironment(settings, environment),
    },
  };
}

function describeMode({ modeInstructions }: ThreadSettings): string | null {
  return modeInstructions === null ? null : `<collaboration_mode>${modeInstructions}</collaboration_mode>`;
}

function describeDocs(text: string | null, cwd: string): string | null {
  if (text === null) return null;
  return `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${text.trimEnd()}\n</INSTRUCTIONS>`;
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
