/** The ports of hook handlers, under the settings of a turn. */
import type { Once } from "../../base/tasks.ts";
import { type ThreadSettings, workspaceRootOf } from "../../engine/state/settings.ts";
import type { HandlerPorts } from "../../hooks/run/run-handler.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { bareShellArguments, shellArguments, startUpFiles } from "../../tools/exec/shell.ts";
import type { CommandTools } from "../machine/command-tools.ts";
import type { HookTools } from "../machine/hook-tools.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Hooks } from "./hooks.ts";

export interface HandlerPortsOptions
  extends Pick<HandlerPorts, "threadId" | "env" | "clock" | "log" | "model" | "identityHeaders"> {
  readonly execEnvFor: Hooks["execEnvFor"];
  readonly machine: HandlerMachine;
  readonly mcp: () => Promise<Pick<McpServers, "find">>;
}

/** The parts of a machine that run handlers. */
export interface HandlerMachine {
  readonly writablePaths: Pick<SandboxWritablePaths, "contains">;
  readonly commands: Pick<Once<Pick<CommandTools, "hookHost" | "shell">>, "get">;
  readonly hookTools: Pick<Once<HookTools>, "get">;
  readonly sandbox: () => Promise<Sandbox>;
}

export function createHandlerPorts(options: HandlerPortsOptions, settings: ThreadSettings): HandlerPorts {
  const { threadId, env, clock, log, model, identityHeaders } = options;
  const { execEnvFor, mcp } = options;
  const { writablePaths, commands, hookTools, sandbox } = options.machine;
  return {
    threadId,
    env,
    clock,
    log,
    model,
    modelName: settings.model,
    identityHeaders,
    variablesIn: (cwd) => execEnvFor(cwd).env,
    host: async () => (await commands.get()).hookHost,
    async inShell(command, variables) {
      const shell = (await commands.get()).shell();
      return startUpFiles(variables).some(writablePaths.contains)
        ? bareShellArguments(shell, command)
        : shellArguments(shell, command, false);
    },
    async confine() {
      const machine = await sandbox();
      const bounds = { policyCwd: workspaceRootOf(settings), ownSession: true };
      return (command) => machine.wrap(command, settings.sandbox, bounds);
    },
    mcpServer: async (name) => (await mcp()).find(threadId)?.find(name)?.connection ?? null,
    fetch: async () => (await hookTools.get()).fetch,
    modules: async () => (await hookTools.get()).modules,
  };
}
