import { platform, userInfo } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import { findProcessHelper, openProcessHost } from "../../process/open-process-host.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { WritablePlaces } from "../../sandbox/writable-places.ts";
import { type PatchPorts, runPatch } from "../../tools/apply-patch/run-patch.ts";
import { parseShellApplyPatch } from "../../tools/apply-patch/shell-patch.ts";
import { createExecTools, type ExecTools } from "../../tools/exec/create-exec-tools.ts";
import { DEFAULT_ENVIRONMENT_POLICY, type EnvironmentPolicy } from "../../tools/exec/environment-policy.ts";
import { DEFAULT_MAX_POLL_MS, type ExecSettings } from "../../tools/exec/exec-settings.ts";
import { findOwnPrograms, type OwnPrograms } from "../../tools/exec/own-programs.ts";
import type { Truncation } from "../../tools/exec/truncate-text.ts";
import type { ToolCall, ToolContext, ToolResult } from "../../tools/tool.ts";

export interface CommandToolsOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly sandbox: () => Promise<Sandbox>;
  readonly places: WritablePlaces;
}

/** What runs commands, for all threads of a server together. */
export interface CommandTools extends ExecTools {
  /** Where processes are started, also those of clients. */
  readonly host: ProcessHost;
  /** What commands find on their PATH besides their own. */
  readonly programs: OwnPrograms | null;
  /** Tells how a thread's commands run; called before its first turn. */
  register(threadId: string, settings: ExecSettings, patchPorts: PatchPorts): void;
  /** Ends what a thread has left running, and forgets it. */
  forget(threadId: string): void;
}

export function openCommandTools({ env, clock, sandbox, places }: CommandToolsOptions): CommandTools {
  const threads = new Map<string, { settings: ExecSettings; patchPorts: PatchPorts }>();
  const file = fileURLToPath(import.meta.url);
  const host = openProcessHost(findProcessHelper(file));
  const programs = findOwnPrograms(file, process.execPath);

  function entryOf(threadId: string) {
    const entry = threads.get(threadId);
    if (entry === undefined) throw new Error(`thread ${threadId} has no settings for commands`);
    return entry;
  }

  const exec = createExecTools({
    host,
    clock,
    sandbox,
    places,
    random: Math.random,
    environment: env,
    shells: { account: accountShell(), path: env["PATH"], isWritten: places.cover, platform: platform() },
    programs,
    settingsOf: (threadId) => entryOf(threadId).settings,
    intercept: (argv, cwd, call, context) =>
      runHiddenPatch(argv, cwd, call, { context, ports: entryOf(context.threadId).patchPorts }),
  });
  return {
    ...exec,
    host,
    programs,
    register: (threadId, settings, patchPorts) => void threads.set(threadId, { settings, patchPorts }),
    forget(threadId) {
      void exec.terminals.clean(threadId);
      threads.delete(threadId);
    },
    async close() {
      await exec.close();
      await host.close();
    },
  };
}

/** Null for a user of whom the machine knows no more than a number, as in many containers. */
function accountShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}

/** A patch that a model sends through the shell is a patch all the same, and shown as one. */
async function runHiddenPatch(
  argv: readonly string[],
  cwd: string,
  { callId }: ToolCall,
  { context, ports }: { readonly context: ToolContext; readonly ports: PatchPorts },
): Promise<ToolResult | null> {
  const hidden = parseShellApplyPatch(argv);
  if (hidden.kind === "none") return null;
  if (hidden.kind === "refused") return { output: hidden.message, success: false };
  const folder = resolve(cwd, hidden.folder ?? ".");
  const result = await runPatch({ callId, text: hidden.text, cwd: folder }, context, ports);
  if (!result.success || typeof result.output !== "string") return result;
  return { ...result, output: `Wall time: 0.0000 seconds\nOutput:\n${result.output}` };
}

/** What a thread's configuration and model say about its commands. */
export function toExecSettings(
  values: ConfigValues,
  info: ModelInfo,
  { sessionId, granted }: Pick<ExecSettings, "sessionId" | "granted">,
): ExecSettings {
  return {
    environmentPolicy: toEnvironmentPolicy(values.shell_environment_policy),
    allowLoginShell: values.allow_login_shell ?? true,
    truncation: toTruncation(values, info),
    sessionId,
    granted,
    maxPollMs: values.background_terminal_max_timeout ?? DEFAULT_MAX_POLL_MS,
  };
}

function toTruncation({ tool_output_token_limit: limit }: ConfigValues, info: ModelInfo): Truncation {
  return limit === null ? info.toolOutput : { unit: "tokens", limit };
}

export function toEnvironmentPolicy(policy: ConfigValues["shell_environment_policy"]): EnvironmentPolicy {
  const filters = Object.entries(policy.filters ?? {});
  const named = (kind: string) => filters.flatMap(([pattern, each]) => (each === kind ? [pattern] : []));
  return {
    inherit: policy.inherit ?? DEFAULT_ENVIRONMENT_POLICY.inherit,
    ignoreDefaultExcludes: policy.ignore_default_excludes ?? DEFAULT_ENVIRONMENT_POLICY.ignoreDefaultExcludes,
    exclude: [...(policy.exclude ?? []), ...named("exclude")],
    set: policy.set ?? {},
    includeOnly: [...(policy.include_only ?? []), ...named("include")],
  };
}
