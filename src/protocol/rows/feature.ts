// Feature flags.

import { exclusive, request } from "./row.ts";
import { array, boolean, choice, define, map, nullable, object, string, u32 } from "./shape.ts";

export const ExperimentalFeatureListParams = define(
  "ExperimentalFeatureListParams",
  object({ cursor: nullable(string()), limit: nullable(u32()), threadId: nullable(string()) }),
);
export const ExperimentalFeatureStage = define(
  "ExperimentalFeatureStage",
  choice("beta", "underDevelopment", "stable", "deprecated", "removed"),
);
export const ExperimentalFeature = define(
  "ExperimentalFeature",
  object({
    name: string(),
    stage: ExperimentalFeatureStage,
    displayName: nullable(string()),
    description: nullable(string()),
    announcement: nullable(string()),
    enabled: boolean(),
    defaultEnabled: boolean(),
  }),
);
export const ExperimentalFeatureListResponse = define(
  "ExperimentalFeatureListResponse",
  object({ data: array(ExperimentalFeature), nextCursor: nullable(string()) }),
);
export const ExperimentalFeatureEnablementSetParams = define(
  "ExperimentalFeatureEnablementSetParams",
  object({ enablement: map(boolean()) }),
);
export const ExperimentalFeatureEnablementSetResponse = define(
  "ExperimentalFeatureEnablementSetResponse",
  object({ enablement: map(boolean()) }),
);

export const featureRequests = {
  "experimentalFeature/list": request({
    summary: "Pages through feature flags and their state.",
    stability: "stable",
    scope: "read",
    params: ExperimentalFeatureListParams,
    result: ExperimentalFeatureListResponse,
    order: exclusive("config"),
    idempotent: true,
    handlers: "features",
  }),
  "experimentalFeature/enablement/set": request({
    summary: "Sets feature flags for this process.",
    stability: "stable",
    scope: "admin",
    params: ExperimentalFeatureEnablementSetParams,
    result: ExperimentalFeatureEnablementSetResponse,
    order: exclusive("config"),
    handlers: "features",
    isAudited: true,
  }),
};
