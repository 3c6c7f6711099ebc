// Presets of collaboration.

import { ModeKind, ReasoningEffort } from "./mode.ts";
import { free, request } from "./row.ts";
import { array, define, nullable, object, string } from "./shape.ts";

export const CollaborationModeListParams = define("CollaborationModeListParams", object({}));
export const CollaborationModeMask = define(
  "CollaborationModeMask",
  object({
    name: string(),
    mode: nullable(ModeKind),
    model: nullable(string()),
    reasoning_effort: nullable(ReasoningEffort),
  }),
);
export const CollaborationModeListResponse = define(
  "CollaborationModeListResponse",
  object({ data: array(CollaborationModeMask) }),
);

export const collaborationRequests = {
  "collaborationMode/list": request({
    summary: "Lists the presets of collaboration.",
    stability: "experimental",
    scope: "read",
    params: CollaborationModeListParams,
    result: CollaborationModeListResponse,
    order: free,
    idempotent: true,
  }),
};
