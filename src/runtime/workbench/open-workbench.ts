/** Runs the hooks of a folder without a thread, in the same way as a server, and stores nothing. */

import { silentLogger } from "../../base/logger.ts";
import { once } from "../../base/tasks.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ConfiguredHook, HookSet } from "../../hooks/configured-hook.ts";
import type { PinnedContent } from "../../hooks/pinning/hook-pins.ts";
import { runHandler } from "../../hooks/run/run-handler.ts";
import type { InputDefaults } from "../../hooks/workbench/build-input.ts";
import type { TriedResult, WorkbenchPorts } from "../../hooks/workbench/try-event.ts";
import type { Model } from "../../model/model.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import type { McpConnection } from "../../tools/mcp/mcp-connection.ts";
import { describeStartup } from "../../tools/mcp/server/server-failure.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import { orThrow } from "../configuration/thread-refusal.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import { createHandlerPorts, type HandlerPortsOptions } from "../setup/handler-ports.ts";
import type { Hooks } from "../setup/hooks.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { type Resolved, resolveThread } from "../threads/resolve-thread.ts";

export interface Workbench {
  readonly set: HookSet;
  readonly ports: WorkbenchPorts;
  readonly place: InputDefaults;
  close(): Promise<void>;
}

const NO_THREAD = "the workbench has no thread";

export interface WorkbenchParts
  extends Pick<RuntimeDeps, "config" | "host" | "identity" | "machine" | "models"> {
  readonly hooks: Hooks;
}

export interface WorkbenchOptions {
  readonly cwd: string;
  /** Also runs hooks that are not trusted. */
  readonly runsUntrusted?: boolean;
  /** Runs only hooks with these keys. */
  readonly keys?: readonly string[] | null;
}

/** Throws where the configuration cannot be read. The parts stay open when the workbench is closed. */
export async function openWorkbench(
  { config, host, hooks, machine, models, identity }: WorkbenchParts,
  { cwd, runsUntrusted = false, keys = null }: WorkbenchOptions,
): Promise<Workbench> {
  const { env, clock, createId } = host;
  const found = await hooks.inFolder(cwd);
  if (!found.ok) throw new Error(found.error.message);
  const chosen = keys === null ? found.value : withKeys(found.value, keys);
  const resolved = orThrow(await resolveThread({ cwd }, { config, host }));
  const mcp = once(() => openServers(chosen, resolved, host, config));
  const abort = new AbortController();
  // Checks the content of hooks and pins nothing, because testing a hook does not mean trusting it.
  const check = async (
    hook: ConfiguredHook,
    at: string,
  ): Promise<Pick<PinnedContent, "refusal" | "handler">> =>
    runsUntrusted ? { refusal: null, handler: hook.handler } : hooks.pins.inspect(hook, hooks.execEnvFor(at));
  const handlerOptions = {
    env,
    clock,
    log: silentLogger,
    threadId: NO_THREAD,
    execEnvFor: hooks.execEnvFor,
    machine,
    identityHeaders: () => ({ originator: identity.originator, "user-agent": identity.userAgent }),
    mcp: mcp.get,
    model: () => models.of(resolved.provider),
  };
  const handlers = createWorkbenchHandlers(handlerOptions, resolved.settings);
  return {
    set: await hooks.checkPins(chosen, cwd),
    place: {
      cwd,
      model: resolved.settings.model,
      threadId: createId(),
      turnId: createId(),
      transcriptPath: null,
    },
    ports: {
      clock,
      createId,
      signal: abort.signal,
      async runHandler({ refusal: _seen, ...hook }, call) {
        const { refusal, handler } = await check(hook, call.cwd);
        if (refusal !== null) return { kind: "failed", message: refusal.message };
        return handlers({ ...hook, handler }, call);
      },
    },
    async close() {
      abort.abort();
      await (await mcp.peek())?.close();
    },
  };
}

function withKeys<S extends HookSet>(set: S, keys: readonly string[]): S {
  return { ...set, hooks: set.hooks.filter(({ key }) => keys.includes(key)) };
}

/** Opens only those MCP servers whose tools the hooks call; each starts with its first call. */
async function openServers(
  { hooks }: HookSet,
  { effective, settings }: Resolved,
  host: Host,
  config: ConfigSource,
): Promise<McpServers> {
  const { openMcpServers } = await import("../mcp/mcp-servers.ts");
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
