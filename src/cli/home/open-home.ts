/** Opens the store of a home without a server. Servers on the same home are notified of changes, or block them by their leases. */
import { homedir } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createUuidSource } from "../../base/uuid.ts";
import type { Layer } from "../../config/layer.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { openConfigSource } from "../../runtime/configuration/config-source.ts";
import { configuredStore } from "../../runtime/configuration/store-address.ts";
import { configOutcome, orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { openStore } from "../../store/open/open-store.ts";
import type { Store } from "../../store/store.ts";
import type { ParsedArguments } from "../command-line/command.ts";
import { readGlobalSettings } from "../command-line/options.ts";

export interface OpenHome {
  readonly store: Store;
  readonly values: ConfigValues;
  /** The layers that the values are made of. */
  readonly layers: readonly Layer[];
  readonly createId: () => string;
}

/** Throws if the configuration is invalid. */
export async function readHome(
  chain: readonly ParsedArguments[],
): Promise<Omit<OpenHome, "store"> & { readonly home: string }> {
  const createId = createUuidSource(systemClock);
  const settings = readGlobalSettings(...chain);
  const context = { env: process.env, cwd: process.cwd(), userHome: homedir() };
  const source = await openConfigSource({ ...settings, ...context, createId });
  const { values, layers } = orThrow(configOutcome(await (await source.get()).effective()));
  return { home: source.home, values, layers, createId };
}

/** Opens the home of the command line, and closes it after `work`. Throws if the home cannot be used. */
export async function withHome<T>(
  chain: readonly ParsedArguments[],
  work: (home: OpenHome) => Promise<T>,
): Promise<T> {
  const { home, values, layers, createId } = await readHome(chain);
  const { durability } = values;
  const log = silentLogger;
  const where = configuredStore(values, home);
  const store = await openStore(where, { clock: systemClock, log, createId, files: { durability } });
  try {
    return await work({ store, values, layers, createId });
  } finally {
    await store.close();
  }
}
