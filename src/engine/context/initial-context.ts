import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { ThreadSettings } from "../settings.ts";
import { describeEnvironment, type EnvironmentFacts } from "./environment-context.ts";
import { describePermissions } from "./permissions-context.ts";

/** What a thread's model is told before the user's first words. */
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

/**
 * Rules first, then facts. It stands at the beginning of the history and never changes, so that the
 * provider's prompt cache goes on hitting.
 */
export function buildInitialContext({
  settings,
  environment,
  projectDocs,
  skills,
}: ContextSources): ResponseItem[] {
  const rules = [describeSkills(skills), describePermissions(settings), settings.developerInstructions];
  const facts = [describeDocs(projectDocs, settings.cwd), describeEnvironment(settings, environment)];
  return [toMessage("developer", rules), toMessage("user", facts)];
}

function toMessage(role: string, texts: readonly (string | null)[]): ResponseItem {
  const content = texts
    .filter((text) => text !== null)
    .map((text) => ({ type: "input_text" as const, text }));
  return { type: "message", role, content };
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
