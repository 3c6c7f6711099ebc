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
import type { Hooks } from "./hooks.ts";
import type { ProviderModels } from "./provider-models.ts";
import type { Skills } from "./skills.ts";

/**
 * Everything that threads are made of, passed as a whole: `f(deps, args)`. Parts that take time to load are opened on first
 * use.
 */
export interface RuntimeDeps {
  readonly host: Host;
  readonly config: ConfigSource;
  readonly identity: Identity;
  /** Names the home to providers and clients; with a store that is not in files, only this process. */
  readonly installationId: () => string;
  readonly engine: Engine;
  readonly store: Once<Store>;
  readonly models: ProviderModels;
  readonly machine: Machine;
  readonly skills: Once<Skills>;
  readonly hooks: Once<Hooks>;
  readonly mcp: Once<McpServers>;
  readonly observers: LifecycleObservers;
  /** A fault of the rules of the folder that the server was started in, which the handshake has reported. */
  readonly rulesWarning: () => Promise<ConfigWarningNotification | null>;
}

/** Who observes the events at which hooks run. */
export interface LifecycleObservers {
  observerOf(threadId: string): HookObserver;
  /** Ends the subscriptions of a thread that is no longer loaded. */
  forget(threadId: string): void;
}
