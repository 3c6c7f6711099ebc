// Embedding: a server inside another program, without a socket.

import { silentLogger } from "./base/logger.ts";
import { inBackground } from "./base/tasks.ts";
import { type Client, type ClientOptions, openClient } from "./client/client.ts";
import { type HeddleOptions, openHeddle } from "./server/heddle.ts";
import { createMemoryTransports } from "./transport/memory.ts";

export type { Logger } from "./base/logger.ts";
export type { Client, ClientOptions } from "./client/client.ts";
export type { CustomModel, ModelAnswer, ModelFunction } from "./model/custom/custom-model.ts";
export type { Model, ModelEvent, ModelRequest } from "./model/model.ts";

/** Options of an embedded server; each has a default. */
export interface EmbeddedOptions extends Partial<HeddleOptions> {
  /** The folder with configuration and history; by default that of the environment. */
  readonly home?: string;
  /**
   * Whether threads with due queued turns are loaded without a client, where the configuration does not set
   * `queue.background`. Defaults to false.
   */
  readonly continuesQueues?: boolean;
}

/** A server in this process. Several servers share no state. */
export interface EmbeddedHeddle {
  readonly home: string;
  /** A new client of this server. */
  connect(options?: ClientOptions): Promise<Client>;
  /** Interrupts running turns and ends every connection. */
  close(): Promise<void>;
}

export async function createHeddle({
  home,
  env = process.env,
  continuesQueues = false,
  log = silentLogger,
  ...options
}: EmbeddedOptions = {}): Promise<EmbeddedHeddle> {
  const heddle = await openHeddle({
    cwd: process.cwd(),
    flags: {},
    profile: null,
    strictConfig: false,
    ...options,
    onFirstUse() {
      options.onFirstUse?.();
      inBackground(log, "continuing queues", heddle.continueQueues(continuesQueues));
    },
    log,
    env: home === undefined ? env : { ...env, HEDDLE_HOME: home },
  });
  if (continuesQueues) await heddle.continueQueues(true);
  return {
    home: heddle.home,
    connect(clientOptions) {
      const [theirs, ours] = createMemoryTransports();
      heddle.connect(theirs);
      return openClient(ours, clientOptions);
    },
    close: () => heddle.close(),
  };
}
