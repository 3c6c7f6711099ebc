import { homedir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { createUuidSource } from "../base/uuid.ts";
import type { Configuration } from "../config/configuration.ts";
import { resolveHome } from "../config/home.ts";
import { openConfig } from "../config/open-config.ts";
import type { SessionFlags } from "../config/session-flags.ts";
import { createEngine } from "../engine/engine.ts";
import { createSkillSettingsReader, createSkillSwitch } from "../engine/skills/configured-skills.ts";
import { SkillCatalog } from "../engine/skills/skill-catalog.ts";
import { notificationRows } from "../protocol/generated/table.ts";
import type { ServerNotifications } from "../protocol/generated/types.ts";
import type { Transport } from "../transport/transport.ts";
import type { Connection } from "./connection.ts";
import { createHandlers } from "./handlers/handlers.ts";
import { createIdentity } from "./identity.ts";
import { readInstallationId } from "./installation-id.ts";
import { openLazyStore } from "./lazy-store.ts";
import { createProviderModels } from "./provider-models.ts";
import { createServer } from "./server.ts";
import { createSubscriptions } from "./subscriptions.ts";
import { createThreadStarter } from "./thread-starter.ts";

/** What a server is started with. */
export interface HeddleOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly log: Logger;
  /** What the command line says about configuration. */
  readonly flags: SessionFlags;
  readonly profile: string | null;
  /** Unknown keys in config.toml keep the server from starting. */
  readonly strictConfig: boolean;
}

/** A whole server without its listeners: configuration, engine, store and the handling of connections. */
export interface Heddle {
  readonly home: string;
  readonly config: Configuration;
  readonly connect: (transport: Transport) => void;
  onDisconnect(listener: () => void): void;
  /** Adds what is to be closed together with the server. */
  onClose(task: () => Promise<void>): void;
  /** Resolves at a moment when no turn runs. */
  whenIdle(): Promise<void>;
  /** In words, which model answers. */
  describeModel(): Promise<string>;
  /** Interrupts running turns, then ends every connection. */
  close(): Promise<void>;
}

const MAX_IN_FLIGHT = 1024;

/** Where the administrator of the machine keeps configuration. */
const SYSTEM_FOLDER = "/etc/codex";

export async function openHeddle(options: HeddleOptions): Promise<Heddle> {
  const { env, cwd, log } = options;
  const clock = systemClock;
  const createId = createUuidSource(clock);
  const config = await openConfiguration(options, createId);
  const { home } = config;
  const startup = await config.startup();
  if (!startup.ok) throw new AppError("config.invalid", startup.message);

  const identity = createIdentity(env);
  const subscriptions = createSubscriptions();
  const models = createProviderModels({ clock, random: Math.random, log });
  const store = openLazyStore(join(home, "heddle.sqlite"));
  const disconnectListeners: (() => void)[] = [];
  const closeTasks: (() => Promise<void>)[] = [];

  const engine = createEngine({
    clock,
    createId,
    emit: (threadId, method, params) => route(threadId, method, params),
  });
  const threads = createThreadStarter({ config, engine, models, store, identity, env, cwd });
  const skills = new SkillCatalog({
    home,
    userHome: env["HOME"] || homedir(),
    systemFolder: SYSTEM_FOLDER,
    settingsFor: createSkillSettingsReader(config),
    clock,
    log,
  });
  const switchSkill = createSkillSwitch({ file: join(home, "config.toml"), createId });
  const server = createServer({
    clock,
    log,
    maxInFlight: MAX_IN_FLIGHT,
    createHandlers: (parts) =>
      createHandlers({
        ...parts,
        config,
        engine,
        subscriptions,
        threads,
        skills,
        switchSkill,
        identity,
        home,
        cwd,
        greet,
      }),
    onDisconnect(connection) {
      subscriptions.drop(connection);
      for (const listener of disconnectListeners) listener();
    },
  });

  function route<M extends keyof ServerNotifications>(
    threadId: string,
    method: M,
    params: ServerNotifications[M],
  ): void {
    if (notificationRows[method].audience === "all") server.notifier.toAll(method, params);
    else server.notifier.to(subscriptions.of(threadId), method, params);
  }

  function greet(connection: Connection): void {
    for (const warning of startup.ok ? startup.warnings : []) {
      server.notifier.to([connection], "configWarning", warning);
    }
    server.notifier.to([connection], "remoteControl/status/changed", {
      status: "disabled",
      serverName: identity.serverName,
      installationId: readInstallationId(home),
      environmentId: null,
    });
  }

  return {
    home,
    config,
    connect: server.connect,
    onDisconnect: (listener) => void disconnectListeners.push(listener),
    onClose: (task) => void closeTasks.push(task),
    whenIdle: engine.whenIdle,
    async describeModel() {
      const { provider, model } = await threads.defaults();
      return provider.baseUrl === null
        ? `${model} (built in and scripted: no provider is configured)`
        : `${model} at ${provider.name} (${provider.baseUrl})`;
    },
    async close() {
      const listeners = closeTasks.map((task) => task());
      await engine.close();
      await server.close();
      await Promise.all(listeners);
      skills.close();
      models.close();
      await store.close();
    },
  };
}

/** The configuration of a home, checked for what the command line asks of it. */
export async function openConfiguration(
  options: Omit<HeddleOptions, "log">,
  createId: () => string,
): Promise<Configuration> {
  const { env, cwd, flags, profile, strictConfig } = options;
  const userHome = env["HOME"] || homedir();
  const opened = await openConfig({
    home: resolveHome(env, userHome),
    userHome,
    systemDir: SYSTEM_FOLDER,
    cwd,
    flags,
    profile: profile ?? undefined,
    strict: strictConfig,
    createId,
  });
  if (!opened.ok) throw new AppError("config.invalid", opened.message);
  return opened.config;
}
