import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { closeAll, inBackground, once } from "../base/tasks.ts";
import type { EmitFor } from "../engine/state/events.ts";
import type { Decisions } from "../store/decisions.ts";
import type { ConfigSource } from "./configuration/config-source.ts";
import type { Identity } from "./configuration/identity.ts";
import { createLockProgram } from "./configuration/lock-program.ts";
import { configOutcome, orThrow } from "./configuration/thread-refusal.ts";
import { createMachineSandbox, type MachineSandboxOptions } from "./machine/machine-sandbox.ts";
import type { ProviderModels } from "./setup/provider-models.ts";
import type { LifecycleObservers } from "./threads/load-thread.ts";

export interface ServicesOptions extends MachineSandboxOptions {
  readonly config: ConfigSource;
  readonly models: ProviderModels;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly log: Logger;
  readonly emit: EmitFor;
  /** Who follows which thread. */
  readonly lifecycle: LifecycleObservers & { forget(threadId: string): void };
  /** Lets others hear of decisions about permissions. */
  readonly observe: (decisions: Decisions) => Decisions;
  /** Where threads are kept, as `openStore` reads it. */
  readonly storeAddress: string;
  /** Called once, when the store is about to be opened. */
  readonly onFirstUse?: (() => void) | undefined;
}

/** Everything that takes time to load, made when it is first needed. */
export function createServices(options: ServicesOptions) {
  const { config, env, clock, createId, log, emit } = options;
  const machine = createMachineSandbox(options);
  const store = once(() => {
    options.onFirstUse?.();
    return openObservedStore(options);
  });
  const threadStore = async () => (await store.get()).threads;
  const skills = once(async () => (await import("./setup/skills.ts")).openSkills(options));
  const hooks = once(async () => (await import("./setup/hooks.ts")).createHooks({ ...options, ...machine }));
  const mcp = once(async () =>
    (await import("./mcp/mcp-servers.ts")).openMcpServers({
      config,
      env,
      clock,
      createId,
      log,
      onStartup: (status) => emit(status.threadId, "mcpServer/startupStatus/updated", status),
    }),
  );
  const grammar = once(async () => (await import("../policy/shell/shell-grammar.ts")).openShellGrammar());
  const rulesWarning = once(async () => (await import("./setup/open-rules.ts")).findRulesWarning(options));
  const commands = once(async () =>
    (await import("./machine/command-tools.ts")).openCommandTools({ env, clock, createId, ...machine }),
  );
  const hookTools = once(async () => (await import("./machine/hook-tools.ts")).openHookTools(options));
  /** Lets go of what was kept for a thread that is no longer loaded. */
  function forget(threadId: string): void {
    options.lifecycle.forget(threadId);
    for (const { peek } of [commands, mcp, hooks]) {
      const forgetting = peek().then((it) => it?.forget(threadId));
      inBackground(log, "letting go of a thread", forgetting);
    }
  }

  return {
    /** What the thread service is made of, besides the engine. */
    forThreads: {
      store,
      threadStore,
      skills: skills.get,
      hooks: hooks.get,
      commands: commands.get,
      hookTools: hookTools.get,
      mcp: mcp.get,
      startedMcp: mcp.peek,
      ...machine,
      grammar: grammar.get,
      rulesWarning: rulesWarning.get,
      forget,
    },
    store: store.get,
    /** Null while nobody has needed it. */
    openedStore: store.peek,
    threadStore,
    skills: skills.get,
    hooks: hooks.get,
    mcp: mcp.get,
    sandbox: machine.sandbox,
    commands: commands.get,
    /** What is wrong with the rules that hold where the server was started. */
    rulesWarning: rulesWarning.get,
    forget,
    /** Ends what was made, in the order in which one needs the other. */
    close: (): Promise<void> =>
      closeAll([
        async () => (await hookTools.peek())?.close(),
        async () => (await commands.peek())?.close(),
        async () => (await mcp.peek())?.close(),
        async () => (await skills.peek())?.catalog.close(),
        async () => (await store.peek())?.close(),
      ]),
  };
}

async function openObservedStore(options: ServicesOptions) {
  const { config, env, clock, createId, log, observe } = options;
  const { openStore } = await import("../store/open/open-store.ts");
  const store = await openStore(options.storeAddress, {
    clock,
    log,
    createId,
    files: { durability: await durabilityOf(config), lockProgram: createLockProgram({ config, env }) },
  });
  return { ...store, decisions: observe(store.decisions) };
}

/** What an answered request survives. */
async function durabilityOf(config: ConfigSource) {
  return orThrow(configOutcome(await (await config.get()).effective())).values.durability;
}
