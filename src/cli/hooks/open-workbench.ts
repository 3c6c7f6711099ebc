/** What runs the hooks of a folder outside of any thread: as a server would, and without keeping anything. */
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { closeAll, once } from "../../base/tasks.ts";
import type { ConfiguredHook, HookSet } from "../../hooks/configured-hook.ts";
import type { InputPlace } from "../../hooks/workbench/make-input.ts";
import type { WorkbenchPorts } from "../../hooks/workbench/try-event.ts";
import { type ConfigOptions, openConfigSource } from "../../server/configuration/config-source.ts";
import { openCommandTools } from "../../server/machine/command-tools.ts";
import { openHookTools } from "../../server/machine/hook-tools.ts";
import { createMachineSandbox } from "../../server/machine/machine-sandbox.ts";
import { runHandler } from "../../server/setup/hook-handlers.ts";
import { createHooks } from "../../server/setup/hooks.ts";
import { resolveThread } from "../../server/threads/thread-resolution.ts";

export interface Workbench {
  readonly set: HookSet;
  readonly ports: WorkbenchPorts;
  readonly place: InputPlace;
  /** Where threads are kept. */
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
  const base = { config, env, cwd, userHome, clock: systemClock, log: silentLogger, createId };
  const machine = createMachineSandbox({ ...base, secretFiles: [], ports: [] });
  const hooks = createHooks({ ...base, onClaudeRead: machine.guard.guardClaude });
  const found = await hooks.inFolder(cwd);
  if (!found.ok) throw new Error(found.error.message);
  const resolved = await resolveThread({ cwd }, base);
  const commands = once(async () => openCommandTools({ ...base, ...machine }));
  const hookTools = once(async () => openHookTools(base));
  const abort = new AbortController();
  // Looks at what hooks run, and pins nothing: that somebody tries a hook does not say that they trust it.
  const check = async (hook: ConfiguredHook, at: string): Promise<string | null> =>
    runsUntrusted ? null : (await hooks.pins.look(hook, hooks.placeIn(at))).refusal;
  const options = {
    ...base,
    threadId: NO_THREAD,
    placeIn: hooks.placeIn,
    places: config.places,
    commands: commands.get,
    hookTools: hookTools.get,
    sandbox: machine.sandbox,
    settings: () => resolved.settings,
    identityHeaders: () => ({}),
    mcp: () => Promise.reject(new Error("the workbench starts no MCP servers: try this hook in a thread")),
    model: () => Promise.reject(new Error("the workbench asks no model: try this hook in a thread")),
  };
  return {
    set: await hooks.looked(found.value, cwd),
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
        const refusal = await check(hook, call.cwd);
        return refusal === null ? runHandler(hook, call, options) : { kind: "failed", message: refusal };
      },
    },
    close: () =>
      closeAll([async () => (await hookTools.made())?.close(), async () => (await commands.made())?.close()]),
  };
}
