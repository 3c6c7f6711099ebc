import type { ModelProvider } from "../../config/model-provider.ts";
import { createModelCatalog, listModels } from "../../model/catalog/catalog.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";

export interface ModelHandlersOptions {
  readonly provider: () => Promise<ModelProvider>;
}

export function createModelHandlers({
  provider,
}: ModelHandlersOptions): Handlers<"model/list" | "modelProvider/capabilities/read"> {
  return {
    async "model/list"(params) {
      const { baseUrl } = await provider();
      const listed = listModels(createModelCatalog({ isDemo: baseUrl === null }), params);
      if (listed.kind === "refused") throw invalidRequest(listed.message);
      return listed.page;
    },
    "modelProvider/capabilities/read": () => ({ imageGeneration: true, webSearch: true }),
  };
}
