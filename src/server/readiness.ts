/** Whether a server can serve: its provider and its store. */

import { describeOsFault } from "../base/describe-os-fault.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { orThrow, type ThreadRefusal } from "../runtime/configuration/thread-refusal.ts";
import type { ProviderChoice } from "../runtime/setup/provider-models.ts";
import { describeStoreFault } from "../store/open/describe-store-fault.ts";
import type { Store } from "../store/store.ts";

interface CheckedServices {
  readonly defaultProvider: () => Promise<ProviderChoice | ThreadRefusal>;
  readonly store: () => Promise<Store>;
}

export interface ReadinessChecks {
  /** Describes a fault of the store or of a file of the home; null for any other error. */
  describeFault(error: unknown): string | null;
  describeModel(): Promise<string>;
  checkReady(): Promise<void>;
  checkStore(): Promise<void>;
}

export function createReadinessChecks(
  storeAddress: string,
  { defaultProvider, store }: CheckedServices,
): ReadinessChecks {
  const describeFault = (error: unknown) => describeStoreFault(storeAddress, error) ?? describeOsFault(error);
  const choice = async () => orThrow(await defaultProvider());
  return {
    describeFault,
    describeModel: async () => describeModel(await choice()),
    async checkReady() {
      await choice();
      await store().catch((cause: unknown) => {
        const message = describeFault(cause) ?? messageOf(cause);
        throw new AppError("home.unusable", message, { cause });
      });
    },
    async checkStore() {
      await (await store()).ping();
    },
  };
}

function describeModel({ provider, model }: ProviderChoice): string {
  if (provider.baseUrl === null) return `${model} (the built-in demo model: no provider is configured)`;
  const fault = provider.fault === null ? "" : `: it cannot be used. ${provider.fault}`;
  return `${model} at ${provider.name} (${provider.baseUrl})${fault}`;
}
