import { listModels, type ModelCatalog } from "../../model/catalog/catalog.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";

export interface ModelHandlersOptions {
  readonly catalog: () => Promise<ModelCatalog>;
}

export function createModelHandlers({
  catalog,
}: ModelHandlersOptions): Handlers<"model/list" | "modelProvider/capabilities/read"> {
  return {
    async "model/list"(params) {
      const listed = listModels(await catalog(), params);
      if (listed.kind === "refused") throw invalidRequest(listed.message);
      return listed.page;
    },
    "modelProvider/capabilities/read": () => ({ imageGeneration: true, webSearch: true }),
  };
}
