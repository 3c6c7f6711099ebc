import { readlinkSync } from "node:fs";
import type { Environment } from "../../base/environment.ts";
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
export function environmentFacts(env: Environment, nowMs: number): EnvironmentFacts {
  const local = nowMs - new Date(nowMs).getTimezoneOffset() * 60_000;
  return {
    shell: env["SHELL"]?.split("/").at(-1) || "bash",
    currentDate: new Date(local).toISOString().slice(0, 10),
    timezone: env["TZ"] || systemTimezone(),
  };
}

/** Asking `Intl` loads its tables, which takes 15 ms; the system usually knows the name itself. */
function systemTimezone(): string {
  try {
    const name = /zoneinfo\/(.+)$/.exec(readlinkSync("/etc/localtime"))?.[1];
    if (name !== undefined) return name;
  } catch {
    // No such link on this system.
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
