/** The workbench of hooks without a server: everything that it needs is opened for one command. */
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { closeAll } from "../../base/tasks.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { type ConfigOptions, openConfigSource } from "../../runtime/configuration/config-source.ts";
import type { Host } from "../../runtime/configuration/host.ts";
import { createIdentity } from "../../runtime/configuration/identity.ts";
import { findStoreAddress } from "../../runtime/configuration/store-address.ts";
import { createMachine } from "../../runtime/machine/machine.ts";
import { createHooks } from "../../runtime/setup/hooks.ts";
import { createProgramCheck, createProviderModels } from "../../runtime/setup/provider-models.ts";
import {
  openWorkbench,
  type Workbench,
  type WorkbenchOptions,
} from "../../runtime/workbench/open-workbench.ts";
import { type RecordedThread, readRecorded } from "../../runtime/workbench/read-recorded.ts";
import { openStore } from "../../store/open/open-store.ts";

export interface LocalWorkbench extends Workbench {
  /** The address of the store of threads. */
  readonly storeAddress: string;
}

/** Throws where the configuration cannot be read. */
export async function openLocalWorkbench(
  settings: ConfigOptions,
  options: WorkbenchOptions,
): Promise<LocalWorkbench> {
  const { env, createId, userHome } = settings;
  const { cwd } = options;
  const config = await openConfigSource(settings);
  const host: Host = { env, cwd, userHome, clock: systemClock, log: silentLogger, createId };
  const machine = createMachine(host, config, { secretFiles: [], ports: [] });
  const refuseProgram = createProgramCheck({ env, cwd, writablePaths: config.writablePaths });
  const { clock, log } = host;
  const models = createProviderModels({ env, clock, log, random: Math.random, refuseProgram });
  const parts = {
    config,
    host,
    machine,
    models,
    identity: createIdentity(env),
    hooks: createHooks(host, config, machine.guard),
  };
  const workbench = await openWorkbench(parts, options);
  return {
    ...workbench,
    storeAddress: await findStoreAddress(config),
    close: () => closeAll([machine.close, workbench.close, async () => models.close()]),
  };
}

/** Throws where there is no such thread. */
export async function readRecordedIn(where: string, threadId: string): Promise<RecordedThread> {
  const createId = createUuidSource(systemClock);
  const store = await openStore(where, { clock: systemClock, log: silentLogger, createId });
  try {
    return await readRecorded(store, threadId);
  } finally {
    await store.close();
  }
}
