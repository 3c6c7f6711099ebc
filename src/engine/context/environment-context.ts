import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { PROTECTED_NAMES } from "../../sandbox/bounds.ts";
import { type ThreadSettings, workFolderOf, workspaceRootsOf, writableRootsOf } from "../state/settings.ts";

/** Facts about the host that are part of the model's context. */
export interface EnvironmentFacts {
  readonly shell: string;
  /** `YYYY-MM-DD` in `timezone`. */
  readonly currentDate: string;
  readonly timezone: string;
}

/** The rendered parts of the environment context. */
export interface EnvironmentParts {
  readonly place: string;
  readonly time: string;
  readonly files: string;
}

const NO_MACHINE = `  <environments>
    <environment id="local" status="unavailable" />
  </environments>`;

export function environmentParts(settings: ThreadSettings, facts: EnvironmentFacts): EnvironmentParts {
  const time = `  <current_date>${facts.currentDate}</current_date>\n  <timezone>${escapeXml(facts.timezone)}</timezone>`;
  if (!settings.hasMachine) return { place: "", time, files: "" };
  const roots = workspaceRootsOf(settings).map((root) => `<root>${escapeXml(root)}</root>`);
  return {
    place: `  <cwd>${escapeXml(workFolderOf(settings))}</cwd>\n  <shell>${escapeXml(facts.shell)}</shell>`,
    time,
    files: `  <filesystem><workspace_roots>${roots.join("")}</workspace_roots>${describeProfile(settings)}</filesystem>`,
  };
}

/** Renders all parts, or only the changed ones where `sent` is in the history; null when nothing changed. */
export function describeEnvironment(parts: EnvironmentParts, sent: EnvironmentParts | null): string | null {
  const { place, time, files } = parts;
  if (sent !== null && sent.place === place && sent.time === time && sent.files === files) return null;
  const current = place === "" && sent !== null ? NO_MACHINE : place;
  const lines = sent?.place === place ? [time, files] : [current, time, files];
  const shown = lines.filter((line) => line !== "");
  return ["<environment_context>", ...shown, "</environment_context>"].join("\n");
}

function describeProfile(settings: ThreadSettings): string {
  const { sandbox } = settings;
  switch (sandbox.type) {
    case "dangerFullAccess":
      return '<permission_profile type="disabled"><file_system type="unrestricted" /></permission_profile>';
    case "externalSandbox":
      return '<permission_profile type="external"><file_system type="unrestricted" /></permission_profile>';
    case "readOnly":
      return managed([READ_ALL]);
    case "workspaceWrite": {
      const roots = writableRootsOf(settings);
      return managed([
        READ_ALL,
        ...roots.map((root) => entry("write", toPath(root))),
        ...(sandbox.excludeSlashTmp === true ? [] : [entry("write", "<special>:slash_tmp</special>")]),
        ...(sandbox.excludeTmpdirEnvVar === true ? [] : [entry("write", "<special>:tmpdir</special>")]),
        ...roots.flatMap((root) => PROTECTED_NAMES.map((name) => entry("read", toPath(join(root, name))))),
      ]);
    }
  }
}

const READ_ALL = entry("read", "<special>:root</special>");

function managed(entries: readonly string[]): string {
  return `<permission_profile type="managed"><file_system type="restricted">${entries.join("")}</file_system></permission_profile>`;
}

function entry(access: string, subject: string): string {
  return `<entry access="${access}">${subject}</entry>`;
}

function toPath(path: string): string {
  return `<path>${escapeXml(path)}</path>`;
}

/** Reads the facts of this host at a given time. */
export function environmentFacts(env: Environment, nowMs: number): EnvironmentFacts {
  const local = nowMs - new Date(nowMs).getTimezoneOffset() * 60_000;
  return {
    shell: env["SHELL"]?.split("/").at(-1) || "bash",
    currentDate: new Date(local).toISOString().slice(0, 10),
    timezone: fullName(env["TZ"] || systemTimezone()),
  };
}

/** The link is read first, because `Intl` takes 15 ms to load its tables. */
function systemTimezone(): string {
  try {
    const name = /zoneinfo\/(.+)$/.exec(readlinkSync("/etc/localtime"))?.[1];
    if (name !== undefined) return name;
  } catch {
    // This system has no such link.
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function fullName(timezone: string): string {
  return timezone === "UTC" ? "Etc/UTC" : timezone;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
