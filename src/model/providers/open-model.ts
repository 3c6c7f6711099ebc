/** Opens the model that a provider's settings describe. Nothing is connected before the first request. */
import { chatWire } from "../chat/chat-wire.ts";
import { createDemoModel } from "../demo/demo-model.ts";
import { createHttpModel } from "../http/http-model.ts";
import type { Model } from "../model.ts";
import type { ModelDeps, ProviderSettings } from "../provider-settings.ts";
import { responsesWire } from "../responses/responses-wire.ts";

export function openModel(provider: ProviderSettings, deps: ModelDeps): Model {
  switch (provider.wireApi) {
    case "responses":
      return createHttpModel(provider, responsesWire, deps);
    case "chat":
      return createHttpModel(provider, chatWire, deps);
    case "demo":
      return createDemoModel(deps);
  }
}
