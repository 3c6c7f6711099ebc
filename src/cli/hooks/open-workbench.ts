/** Runs the hooks of a folder without a thread, in the same way as a server, and stores nothing. */

import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { closeAll, once } from "../../base/tasks.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ConfiguredHook, HookSet } from "../../hooks/configured-hook.ts";
import type { PinnedContent } from "../../hooks/pinning/hook-pins.ts";
import { runHandler } from "../../hooks/run/run-handler.ts";
import type { InputDefaults } from "../../hooks/workbench/build-input.ts";
import type { TriedResult, WorkbenchPorts } from "../../hooks/workbench/try-event.ts";
import type { Model } from "../../model/model.ts";
import {
  type ConfigOptions,
  type ConfigSource,
  openConfigSource,
} from "../../runtime/configuration/config-source.ts";
import type { Host } from "../../runtime/configuration/host.ts";
import { createIdentity } from "../../runtime/configuration/identity.ts";
import { orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { createMachine } from "../../runtime/machine/machine.ts";
import type { McpServers } from "../../runtime/mcp/mcp-servers.ts";
import { createHandlerPorts, type HandlerPortsOptions } from "../../runtime/setup/handler-ports.ts";
import { createHooks } from "../../runtime/setup/hooks.ts";
import { createProgramCheck, createProviderModels } from "../../runtime/setup/provider-models.ts";
import { type Resolved, resolveThread } from "../../runtime/threads/resolve-thread.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import type { McpConnection } from "../../tools/mcp/mcp-connection.ts";
import { describeStartup } from "../../tools/mcp/server/server-failure.ts";

export interface Workbench {
  readonly set: HookSet;
  readonly ports: WorkbenchPorts;
  readonly place: InputDefaults;
  /** The home, in which threads are stored. */
  readonly home: string;
  close(): Promise<void>;
}

const NO_THREAD = "the workbench has no thread";

/** Throws where the configuration cannot be read. */
export async function openWorkbench(
  settings: ConfigOptions,
  { cwd, runsUntrusted }: { readonly cwd: string; readonly runsUntrusted: boolean },
): Promise<Workbench> {
  const { env, createId } = settings;
  const config = await openConfigSource(settings);
  const { userHome } = settings;
  const host = { env, cwd, userHome, clock: systemClock, log: silentLogger, createId };
  const machine = createMachine(host, config, { secretFiles: [], ports: [] });
  const hooks = createHooks(host, config, machine.guard);
  const found = await hooks.inFolder(cwd);
  if (!found.ok) throw new Error(found.error.message);
  const resolved = orThrow(await resolveThread({ cwd }, { config, host }));
  const mcp = once(() => openServers(found.value, resolved, host, config));
  const refuseProgram = createProgramCheck({ env, cwd, writablePaths: config.writablePaths });
  const models = createProviderModels({
    env,
    clock: systemClock,
    log: silentLogger,
    random: Math.random,
    refuseProgram,
  });
  const identity = createIdentity(env);
  const abort = new AbortController();
  // Checks the content of hooks and pins nothing, because testing a hook does not mean trusting it.
  const check = async (
    hook: ConfiguredHook,
    at: string,
  ): Promise<Pick<PinnedContent, "refusal" | "handler">> =>
    runsUntrusted ? { refusal: null, handler: hook.handler } : hooks.pins.inspect(hook, hooks.execEnvFor(at));
  const options = {
    env,
    clock: systemClock,
    log: silentLogger,
    threadId: NO_THREAD,
    execEnvFor: hooks.execEnvFor,
    machine,
    identityHeaders: () => ({ originator: identity.originator, "user-agent": identity.userAgent }),
    mcp: mcp.get,
    model: () => models.of(resolved.provider),
  };
  const handlers = createWorkbenchHandlers(options, resolved.settings);
  return {
    set: await hooks.checkPins(found.value, cwd),
    home: config.home,
    place: {
      cwd,
      model: resolved.settings.model,
      threadId: createId(),
      turnId: createId(),
      transcriptPath: null,
    },
    ports: {
      clock: systemClock,
      createId,
      signal: abort.signal,
      async runHandler({ refusal: _seen, ...hook }, call) {
        const { refusal, handler } = await check(hook, call.cwd);
        if (refusal !== null) return { kind: "failed", message: refusal.message };
        return handlers({ ...hook, handler }, call);
      },
    },
    close: () =>
      closeAll([machine.close, async () => (await mcp.peek())?.close(), async () => models.close()]),
  };
}

/** Opens only those MCP servers whose tools the hooks call; each starts with its first call. */
async function openServers(
  { hooks }: HookSet,
  { effective, settings }: Resolved,
  host: Host,
  config: ConfigSource,
): Promise<McpServers> {
  const { openMcpServers } = await import("../../runtime/mcp/mcp-servers.ts");
  const servers = openMcpServers(host, config, () => {});
  const called = new Set(hooks.flatMap(({ handler }) => ("server" in handler ? [handler.server] : [])));
  const configured = Object.entries(effective.values.mcp_servers ?? {});
  const values: ConfigValues = {
    ...effective.values,
    mcp_servers: Object.fromEntries(configured.filter(([name]) => called.has(name))),
  };
  const prepared = await servers.prepare({
    values,
    cwd: settings.cwd,
    extensions: NO_EXTENSIONS,
    isUsers: false,
    settings: () => settings,
    reread: async () => values,
  });
  if (prepared.kind === "missing") throw new Error(prepared.message);
  prepared.register(NO_THREAD);
  return servers;
}

/**
 * Runs handlers as a server does, and separates the result of a hook from faults of its environment: an MCP server that
 * does not start here, or a model that does not answer, says nothing about a real thread.
 */
function createWorkbenchHandlers(
  options: HandlerPortsOptions,
  settings: ThreadSettings,
): WorkbenchPorts["runHandler"] {
  const ports = createHandlerPorts(options, settings);
  return async (hook, call): Promise<TriedResult> => {
    let unavailable: string | null = null;
    const result = await runHandler(hook, call, {
      ...ports,
      async mcpServer(name) {
        const connection = (await options.mcp()).find(options.threadId)?.find(name)?.connection ?? null;
        unavailable = await findUnavailability(name, connection);
        return connection;
      },
      async model() {
        return withFailureReport(await options.model(), (reason) => {
          unavailable = `its model cannot be asked: ${reason}`;
        });
      },
    });
    return unavailable === null || result.kind !== "failed"
      ? result
      : { kind: "notRun", reason: unavailable };
  };
}

async function findUnavailability(server: string, connection: McpConnection | null): Promise<string | null> {
  if (connection === null)
    return `no MCP server is called ${server} in this configuration, or it is switched off`;
  const opened = await connection.ready();
  return opened.kind === "ready"
    ? null
    : `the MCP server ${server} does not start: ${describeStartup(opened.failure)}`;
}

/** Wraps a model to report failed requests. */
function withFailureReport(model: Model, onFailed: (reason: string) => void): Model {
  return {
    async *stream(request, signal) {
      for await (const events of model.stream(request, signal)) {
        for (const event of events) if (event.type === "failed") onFailed(event.error.message);
        yield events;
      }
    },
    close: () => model.close(),
  };
}
