/** Opens the model that a provider's settings describe. Nothing is connected before the first request. */
import { chatWire } from "../chat/chat-wire.ts";
import { createDemoModel } from "../demo/demo-model.ts";
import { createHttpModel } from "../http/http-model.ts";
import type { Wire } from "../http/wire.ts";
import { messagesWire } from "../messages/messages-wire.ts";
import type { Model } from "../model.ts";
import type { ModelDeps, ProviderSettings, WireApi } from "../provider-settings.ts";
import { responsesWire } from "../responses/responses-wire.ts";

/** The wires by the names that a configuration has for them. */
export const WIRES: Readonly<Record<Exclude<WireApi, "demo">, Wire>> = {
  responses: responsesWire,
  chat: chatWire,
  messages: messagesWire,
};

export function openModel(provider: ProviderSettings, deps: ModelDeps): Model {
  const { wireApi } = provider;
  return wireApi === "demo" ? createDemoModel(deps) : createHttpModel(provider, WIRES[wireApi], deps);
}
