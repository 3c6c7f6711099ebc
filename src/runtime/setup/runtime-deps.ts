import type { Once } from "../../base/tasks.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookObserver } from "../../engine/hooks/observer.ts";
import type { ConfigWarningNotification } from "../../protocol/generated/types.ts";
import type { Store } from "../../store/store.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import type { Identity } from "../configuration/identity.ts";
import type { Machine } from "../machine/machine.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Announcements } from "../webhooks/announcements.ts";
import type { Hooks } from "./hooks.ts";
import type { ProviderModels } from "./provider-models.ts";
import type { Skills } from "./skills.ts";

/** The dependencies of threads, passed as a whole: `f(deps, args)`. Slow parts are opened on first use. */
export interface RuntimeDeps {
  readonly host: Host;
  readonly config: ConfigSource;
  readonly identity: Identity;
  /**
   * Identifies the home to providers and clients; if threads are not stored in files, it identifies this
   * process.
   */
  readonly installationId: () => string;
  readonly engine: Engine;
  readonly store: Once<Store>;
  readonly models: ProviderModels;
  readonly machine: Machine;
  readonly skills: Once<Skills>;
  readonly hooks: Once<Hooks>;
  readonly mcp: Once<McpServers>;
  readonly observers: LifecycleObservers;
  readonly announcements: Announcements;
  /**
   * Whether open questions outlive this server, and turns wait for the end of usage limits, where the configuration does
   * not say.
   */
  readonly asksAfterRestart: boolean;
  readonly random: () => number;
  /** A fault in the rules of the folder that the server was started in, which the handshake reports. */
  readonly rulesWarning: () => Promise<ConfigWarningNotification | null>;
}

/** Observers of the events at which hooks run. */
export interface LifecycleObservers {
  observerOf(threadId: string): HookObserver;
  /** Ends the subscriptions of an unloaded thread. */
  forget(threadId: string): void;
}
