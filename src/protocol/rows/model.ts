// Models, their providers, and what providers report about a turn.

import { CyberAccessProgram, ReasoningEffort } from "./mode.ts";
import { free, notification, request } from "./row.ts";
import {
  anyOf,
  array,
  boolean,
  choice,
  define,
  experimental,
  i64,
  nullable,
  object,
  string,
  u32,
} from "./shape.ts";

export const ModelListParams = define(
  "ModelListParams",
  object({ cursor: nullable(string()), limit: nullable(u32()), includeHidden: nullable(boolean()) }),
);
export const ModelUpgradeInfo = define(
  "ModelUpgradeInfo",
  object({
    model: string(),
    upgradeCopy: nullable(string()),
    modelLink: nullable(string()),
    migrationMarkdown: nullable(string()),
    retirementAt: nullable(i64()),
  }),
);
export const ModelAvailabilityNux = define("ModelAvailabilityNux", object({ message: string() }));
export const ReasoningEffortOption = define(
  "ReasoningEffortOption",
  object({ reasoningEffort: ReasoningEffort, description: string() }),
);
export const InputModality = define("InputModality", choice("text", "image", "audio"));
export const MultiAgentVersion = define("MultiAgentVersion", choice("disabled", "v1", "v2"));
export const ModelServiceTier = define(
  "ModelServiceTier",
  object({ id: string(), name: string(), description: string() }),
);
export const ModelAccessPrograms = define(
  "ModelAccessPrograms",
  object({ cyber: array(CyberAccessProgram) }),
);
export const Model = define(
  "Model",
  object({
    id: string(),
    model: string(),
    upgrade: nullable(string()),
    upgradeInfo: nullable(ModelUpgradeInfo),
    availabilityNux: nullable(ModelAvailabilityNux),
    displayName: string(),
    description: string(),
    modelSpecialty: nullable(string()),
    hidden: boolean(),
    supportedReasoningEfforts: array(ReasoningEffortOption),
    defaultReasoningEffort: ReasoningEffort,
    inputModalities: array(InputModality),
    supportsPersonality: boolean(),
    multiAgentVersion: nullable(MultiAgentVersion),
    additionalSpeedTiers: array(string()),
    serviceTiers: array(ModelServiceTier),
    defaultServiceTier: nullable(string()),
    availableAccessPrograms: nullable(ModelAccessPrograms),
    isDefault: boolean(),
  }),
);
export const ModelListResponse = define(
  "ModelListResponse",
  object({ data: array(Model), nextCursor: nullable(string()) }),
);
export const ModelProviderCapabilitiesReadParams = define("ModelProviderCapabilitiesReadParams", object({}));
export const ModelProviderCapabilitiesReadResponse = define(
  "ModelProviderCapabilitiesReadResponse",
  object({ imageGeneration: boolean(), webSearch: boolean() }),
);
export const ModelRerouteReason = define(
  "ModelRerouteReason",
  anyOf(
    choice("highRiskCyberActivity"),
    experimental("model/rerouted.providerUnavailable", choice("providerUnavailable")),
  ),
);
export const ModelReroutedNotification = define(
  "ModelReroutedNotification",
  object({
    threadId: string(),
    turnId: string(),
    fromModel: string(),
    toModel: string(),
    reason: ModelRerouteReason,
  }),
);
export const ModelVerification = define("ModelVerification", choice("trustedAccessForCyber"));
export const ModelVerificationNotification = define(
  "ModelVerificationNotification",
  object({ threadId: string(), turnId: string(), verifications: array(ModelVerification) }),
);
export const AuthRecoveryNotification = define(
  "AuthRecoveryNotification",
  object({ threadId: string(), turnId: string(), provider: string(), message: string() }),
);
export const ModelSafetyBufferingUpdatedNotification = define(
  "ModelSafetyBufferingUpdatedNotification",
  object({
    threadId: string(),
    turnId: string(),
    model: string(),
    useCases: array(string()),
    reasons: array(string()),
    showBufferingUi: boolean(),
    fasterModel: nullable(string()),
  }),
);

export const modelRequests = {
  "model/list": request({
    summary: "Pages through the models that can be chosen.",
    stability: "stable",
    scope: "read",
    params: ModelListParams,
    result: ModelListResponse,
    order: free,
    idempotent: true,
    handlers: "models",
  }),
  "modelProvider/capabilities/read": request({
    summary: "Reads the capabilities of the configured model provider.",
    stability: "stable",
    scope: "read",
    params: ModelProviderCapabilitiesReadParams,
    result: ModelProviderCapabilitiesReadResponse,
    order: free,
    idempotent: true,
    handlers: "models",
  }),
};

export const modelNotifications = {
  "model/rerouted": notification({
    summary: "The provider answered with another model than the one asked for.",
    stability: "stable",
    params: ModelReroutedNotification,
    audience: "thread",
    experimentalReason: "providerUnavailable",
  }),
  "model/verification": notification({
    summary: "The provider wants the account verified.",
    stability: "stable",
    params: ModelVerificationNotification,
    audience: "thread",
  }),
  "modelProvider/authRecoveryStarted": notification({
    summary: "The model provider refused the credentials and they are being renewed.",
    stability: "stable",
    params: AuthRecoveryNotification,
    audience: "thread",
  }),
  "modelProvider/authRecoveryCompleted": notification({
    summary: "Renewing the credentials of the model provider ended.",
    stability: "stable",
    params: AuthRecoveryNotification,
    audience: "thread",
  }),
  "model/safetyBuffering/updated": notification({
    summary: "The provider holds back output while it checks it.",
    stability: "stable",
    params: ModelSafetyBufferingUpdatedNotification,
    audience: "thread",
  }),
};
