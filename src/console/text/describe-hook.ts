/** Hooks in words: what they are called, whether they run, and which files their commands name. */
import type { HookEventName, HookMetadata, HookRunStatus } from "../../protocol/generated/types.ts";
import { capital } from "./capital.ts";
import type { Words } from "./describe-queue.ts";

/** More files than these are not read for one hook. */
const MAX_FILES = 4;

export function nameOf(hook: HookMetadata): string {
  if (hook.statusMessage !== null && hook.statusMessage.trim() !== "") return hook.statusMessage.trim();
  if (hook.handlerType === "mcpTool") return `${hook.server}.${hook.tool}`;
  if (hook.handlerType !== "command") return hook.handlerType === "prompt" ? "A prompt" : "An agent";
  const [script] = scriptPaths(hook.command, "/");
  return script?.split("/").at(-1) ?? hook.command.split("\n", 1)[0] ?? hook.command;
}

/** The command, or what else runs. */
export function runsOf(hook: HookMetadata): string {
  switch (hook.handlerType) {
    case "command":
      return hook.command;
    case "mcpTool":
      return `${hook.tool} of the MCP server ${hook.server}`;
    case "prompt":
      return "A prompt, answered by a model";
    case "agent":
      return "An agent";
  }
}

export const eventTitle = (name: HookEventName): string => capital(name);

export function describeTrust({
  trustStatus,
  enabled,
}: Pick<HookMetadata, "trustStatus" | "enabled">): Words {
  if (!enabled) return { words: "switched off", tone: "", icon: "off" };
  switch (trustStatus) {
    case "managed":
      return { words: "administrator", tone: "", icon: null };
    case "trusted":
      return { words: "trusted", tone: "ok", icon: "ok" };
    case "untrusted":
      return { words: "not trusted", tone: "warn", icon: "warn" };
    case "modified":
      return { words: "changed", tone: "warn", icon: "warn" };
  }
}

/** Whether it does not run because of its trust. */
export const needsLook = ({ trustStatus, enabled }: Pick<HookMetadata, "trustStatus" | "enabled">): boolean =>
  enabled && (trustStatus === "untrusted" || trustStatus === "modified");

const RUN_WORDS: Readonly<Record<HookRunStatus, Words>> = {
  running: { words: "runs", tone: "run", icon: null },
  completed: { words: "passed", tone: "ok", icon: "ok" },
  failed: { words: "failed", tone: "bad", icon: "x" },
  blocked: { words: "blocked", tone: "bad", icon: "x" },
  stopped: { words: "stopped the turn", tone: "warn", icon: "stop" },
};

export const describeRun = (status: HookRunStatus): Words =>
  RUN_WORDS[status] ?? { words: status, tone: "", icon: null };

/** Paths that a command names and that may be scripts. Relative ones begin at the folder. */
export function scriptPaths(command: string, folder: string): readonly string[] {
  const words = command.match(/"[^"]*"|'[^']*'|[^\s;|&<>()]+/gu) ?? [];
  const found = words
    .map((word) => word.replaceAll(/^["']|["']$/gu, ""))
    .filter((word) => !/[$*?`]|^-|^[A-Za-z_]+=|:\/\//u.test(word))
    .filter((word) => word.includes("/") || /\.(?:sh|bash|py|m?js|ts|rb|pl)$/u.test(word))
    .filter((word) => !/^\/(?:usr\/)?s?bin\//u.test(word) && !word.startsWith("/dev/"))
    .map((word) =>
      word.startsWith("/") ? word : `${folder.replace(/\/$/u, "")}/${word.replace(/^\.\//u, "")}`,
    );
  return [...new Set(found)].slice(0, MAX_FILES);
}

/** An input to begin a test with. */
export function exampleInput(event: HookEventName): object {
  switch (event) {
    case "preToolUse":
    case "permissionRequest":
      return { tool_name: "Bash", tool_input: { command: "git push --force" } };
    case "postToolUse":
      return { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "README.md" };
    case "userPromptSubmit":
      return { prompt: "Release it" };
    default:
      return {};
  }
}
