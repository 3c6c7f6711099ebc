import type { ThreadSettings } from "../settings.ts";

/** What the model cannot know by itself. */
export interface EnvironmentFacts {
  readonly shell: string;
  /** `YYYY-MM-DD` in that time zone. */
  readonly currentDate: string;
  readonly timezone: string;
}

export function describeEnvironment({ cwd, sandbox }: ThreadSettings, facts: EnvironmentFacts): string {
  const roots = sandbox.type === "workspaceWrite" ? [cwd, ...(sandbox.writableRoots ?? [])] : [cwd];
  return [
    "<environment_context>",
    `  <cwd>${escapeXml(cwd)}</cwd>`,
    `  <shell>${escapeXml(facts.shell)}</shell>`,
    `  <current_date>${facts.currentDate}</current_date>`,
    `  <timezone>${escapeXml(facts.timezone)}</timezone>`,
    `  <filesystem><workspace_roots>${roots.map((root) => `<root>${escapeXml(root)}</root>`).join("")}</workspace_roots></filesystem>`,
    "</environment_context>",
  ].join("\n");
}

/** The facts of the place where the server runs, at a time. */
export function environmentFacts(shell: string | undefined, nowMs: number): EnvironmentFacts {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    shell: shell?.split("/").at(-1) || "bash",
    currentDate: new Intl.DateTimeFormat("sv-SE", { timeZone }).format(nowMs),
    timezone: timeZone,
  };
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
