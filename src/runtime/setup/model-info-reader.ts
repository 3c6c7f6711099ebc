import { type ModelInfo, type ModelInfoOverrides, modelInfo } from "../../model/catalog/model-info.ts";
import type { Model } from "../../model/model.ts";

/** Looks a model up again only when its provider reports another context window. */
export function createInfoReader(
  name: string,
  overrides: ModelInfoOverrides,
): (model: Model | null) => ModelInfo {
  let known: { readonly providerWindow: number | null; readonly info: ModelInfo } | null = null;
  return (model) => {
    const providerWindow = model?.contextWindow?.(name) ?? null;
    if (known?.providerWindow !== providerWindow)
      known = { providerWindow, info: modelInfo(name, { ...overrides, providerWindow }) };
    return known.info;
  };
}
