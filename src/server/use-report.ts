/** Whether a server can be used, and with which model, in words for whoever runs it. */
import { describeOsFault } from "../base/describe-os-fault.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { orThrow, type ThreadRefusal } from "../runtime/configuration/thread-refusal.ts";
import type { ProviderChoice } from "../runtime/setup/provider-models.ts";
import { describeStoreFault } from "../store/open/describe-store-fault.ts";
import type { Store } from "../store/store.ts";

interface UsedServices {
  readonly defaultProvider: () => Promise<ProviderChoice | ThreadRefusal>;
  readonly store: () => Promise<Store>;
}

export interface UseReport {
  /** What is wrong with the store or with a file of the home; null for an error of another kind. */
  describeFault(error: unknown): string | null;
  describeModel(): Promise<string>;
  checkUse(): Promise<void>;
  checkStore(): Promise<void>;
}

/** `where` is the address of the store. */
export function createUseReport(where: string, { defaultProvider, store }: UsedServices): UseReport {
  const describeFault = (error: unknown) => describeStoreFault(where, error) ?? describeOsFault(error);
  const choice = async () => orThrow(await defaultProvider());
  return {
    describeFault,
    describeModel: async () => describeModel(await choice()),
    async checkUse() {
      await choice();
      await store().catch((cause: unknown) => {
        const says = describeFault(cause) ?? messageOf(cause);
        throw new AppError("home.unusable", says, { cause });
      });
    },
    async checkStore() {
      await (await store()).ping();
    },
  };
}

function describeModel({ provider, model }: ProviderChoice): string {
  if (provider.baseUrl === null) return `${model} (built in and scripted: no provider is configured)`;
  const fault = provider.fault === null ? "" : `: it cannot be asked. ${provider.fault}`;
  return `${model} at ${provider.name} (${provider.baseUrl})${fault}`;
}
