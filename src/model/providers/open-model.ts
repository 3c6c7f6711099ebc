/** Opens the model of a provider. Connections are opened on the first request. */
import { chatWire } from "../chat/chat-wire.ts";
import { createDemoModel } from "../demo/demo-model.ts";
import { createHttpModel } from "../http/http-model.ts";
import type { WireFormat } from "../http/wire.ts";
import { messagesWire } from "../messages/messages-wire.ts";
import type { Model } from "../model.ts";
import type { ModelDeps, ProviderSettings, WireApi } from "../provider-settings.ts";
import { responsesWire } from "../responses/responses-wire.ts";

/** The wire formats by their configuration names. */
export const WIRES: Readonly<Record<Exclude<WireApi, "demo">, WireFormat>> = {
  responses: responsesWire,
  chat: chatWire,
  messages: messagesWire,
};

export function openModel(provider: ProviderSettings, deps: ModelDeps): Model {
  const { wireApi } = provider;
  return wireApi === "demo" ? createDemoModel(deps) : createHttpModel(provider, WIRES[wireApi], deps);
}
