import { platform, userInfo } from "node:os";
import { fileURLToPath } from "node:url";
import type { Truncation } from "../../base/truncate-text.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import { findProcessHelper, openProcessHost } from "../../process/open-process-host.ts";
import { openPrewarmedShells } from "../../process/prewarmed-shells.ts";
import type { ProcessHost } from "../../process/process-host.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { nodeFileSystem } from "../../tools/apply-patch/patch-file-system.ts";
import type { PatchPorts } from "../../tools/apply-patch/run-patch.ts";
import {
  DEFAULT_ENVIRONMENT_POLICY,
  type EnvironmentPolicy,
  findOwnPrograms,
  type OwnPrograms,
} from "../../tools/exec/command-environment.ts";
import { createExecTools, type ExecTools } from "../../tools/exec/create-exec-tools.ts";
import { DEFAULT_MAX_POLL_MS, type ExecSettings } from "../../tools/exec/exec-settings.ts";
import type { Host } from "../configuration/host.ts";

/** Runs commands, for all threads of a server. */
export interface CommandTools extends ExecTools {
  /** Starts processes, also those of clients. */
  readonly host: ProcessHost;
  /** Starts the helper process that starts commands. */
  prepare(): void;
  /** Starts hooks from prewarmed shells: hooks are many short scripts in few folders. */
  readonly hookHost: ProcessHost;
  /** Programs that are added to the PATH of commands. */
  readonly programs: OwnPrograms | null;
  /** The ports with which patches are applied, as a tool or within a shell command. */
  readonly patches: PatchPorts;
  /** Sets the settings of a thread's commands; called before its first turn. */
  register(threadId: string, settings: ExecSettings): void;
  /** Ends the background commands of a thread, and forgets its settings. */
  forget(threadId: string): void;
}

export function openCommandTools(
  { env, clock, createId }: Pick<Host, "env" | "clock" | "createId">,
  {
    sandbox,
    writablePaths,
  }: { readonly sandbox: () => Promise<Sandbox>; readonly writablePaths: SandboxWritablePaths },
): CommandTools {
  const threads = new Map<string, ExecSettings>();
  const file = fileURLToPath(import.meta.url);
  const host = openProcessHost(findProcessHelper(file));
  const hookHost = openPrewarmedShells({ host, clock });
  const patches: PatchPorts = { fs: nodeFileSystem, clock, id: createId };
  const programs = findOwnPrograms(file, process.execPath);

  function settingsOf(threadId: string): ExecSettings {
    const settings = threads.get(threadId);
    if (settings === undefined) throw new Error(`thread ${threadId} has no settings for commands`);
    return settings;
  }

  const exec = createExecTools({
    host,
    clock,
    sandbox,
    writablePaths,
    random: Math.random,
    environment: env,
    shells: {
      account: accountShell(),
      path: env["PATH"],
      isWritten: writablePaths.contains,
      platform: platform(),
    },
    programs,
    settingsOf,
    patches,
  });
  return {
    ...exec,
    host,
    prepare: host.prepare,
    hookHost,
    programs,
    patches,
    register: (threadId, settings) => void threads.set(threadId, settings),
    forget(threadId) {
      void exec.terminals.clean(threadId);
      threads.delete(threadId);
    },
    async close() {
      await exec.close();
      await hookHost.close();
      await host.close();
    },
  };
}

/** Null for a user without an account, as in many containers. */
function accountShell(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}

/** The settings for a thread's commands, from its configuration and model. */
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
