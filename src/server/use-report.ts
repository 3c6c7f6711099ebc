/** Whether a server can be used, and with which model, in words for whoever runs it. */
import { join } from "node:path";
import { AppError, messageOf } from "../base/errors.ts";
import { orThrow, type ThreadRefusal } from "../runtime/configuration/thread-refusal.ts";
import type { ProviderChoice } from "../runtime/setup/provider-models.ts";
import type { Store } from "../store/store.ts";
import { describeFault } from "./describe-fault.ts";

interface UsedServices {
  readonly defaultProvider: () => Promise<ProviderChoice | ThreadRefusal>;
  readonly store: () => Promise<Store>;
}

export interface UseReport {
  /** What is wrong with a file of the home; null for an error of another kind. */
  describeFault(error: unknown): string | null;
  describeModel(): Promise<string>;
  checkUse(): Promise<void>;
  checkStore(): Promise<void>;
}

/** To ask for it is to have the store look something up, and little more. */
const NO_THREAD = "";

export function createUseReport(home: string, { defaultProvider, store }: UsedServices): UseReport {
  const database = join(home, "heddle.sqlite");
  const choice = async () => orThrow(await defaultProvider());
  return {
    describeFault: (error) => describeFault(error, database),
    describeModel: async () => describeModel(await choice()),
    async checkUse() {
      await choice();
      await store().catch((cause: unknown) => {
        const says = describeFault(cause, database) ?? messageOf(cause);
        throw new AppError("home.unusable", says, { cause });
      });
    },
    async checkStore() {
      await (await store()).leases.isHeld(NO_THREAD);
    },
  };
}

function describeModel({ provider, model }: ProviderChoice): string {
  if (provider.baseUrl === null) return `${model} (built in and scripted: no provider is configured)`;
  const fault = provider.fault === null ? "" : `: it cannot be asked. ${provider.fault}`;
  return `${model} at ${provider.name} (${provider.baseUrl})${fault}`;
}
