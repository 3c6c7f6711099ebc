// Turns: start, steer, interrupt, and their notifications.

import { AdditionalContextEntry, TurnEnvironmentParams, UserInput } from "./input.ts";
import {
  CollaborationMode,
  CyberAccessProgram,
  MultiAgentMode,
  Personality,
  ReasoningEffort,
  ReasoningSummary,
} from "./mode.ts";
import { ApprovalsReviewer, AskForApproval, SandboxPolicy } from "./policy.ts";
import { FunctionCallOutputBody } from "./response-item.ts";
import { byThread, emptyResult, notification, permissionProfile, request } from "./row.ts";
import {
  absolutePath,
  anyJson,
  array,
  boolean,
  choice,
  closedObject,
  define,
  described,
  experimental,
  map,
  nullable,
  object,
  optional,
  string,
} from "./shape.ts";
import { seq } from "./stream.ts";
import { Turn, TurnError } from "./turn-record.ts";

export const TurnToolOutput = define(
  "TurnToolOutput",
  object({
    name: string(),
    namespace: nullable(string()),
    output: FunctionCallOutputBody,
    retain: optional(boolean()),
  }),
);
export const TurnStartParams = define(
  "TurnStartParams",
  object({
    threadId: string(),
    disabledPluginIds: nullable(array(string())),
    clientUserMessageId: described(
      "An idempotency key: a repeated message has no further effect.",
      nullable(string()),
    ),
    input: described("The user's input.", array(UserInput)),
    turnTrigger: nullable(string()),
    parentTurnId: nullable(string()),
    rootTurnId: nullable(string()),
    toolOutput: nullable(TurnToolOutput),
    responsesapiClientMetadata: experimental(
      "turn/start.responsesapiClientMetadata",
      nullable(map(string())),
    ),
    responsesapiClientMetadataPatch: experimental(
      "turn/start.responsesapiClientMetadataPatch",
      nullable(map(string())),
    ),
    additionalContext: experimental("turn/start.additionalContext", nullable(map(AdditionalContextEntry))),
    environments: described(
      "The environments of this turn's commands; absent for no change, an empty list forbids commands.",
      experimental("turn/start.environments", nullable(array(TurnEnvironmentParams))),
    ),
    cwd: described("The folder to work in, from this turn on.", nullable(string())),
    runtimeWorkspaceRoots: experimental("turn/start.runtimeWorkspaceRoots", nullable(array(absolutePath()))),
    approvalPolicy: described("When commands require approval, from this turn on.", nullable(AskForApproval)),
    approvalsReviewer: described("Who reviews approvals, from this turn on.", nullable(ApprovalsReviewer)),
    sandboxPolicy: described(
      "The sandbox of commands, from this turn on. Not together with `permissions`.",
      nullable(SandboxPolicy),
    ),
    permissions: described(
      "The name of a permission profile, from this turn on. Not together with `sandboxPolicy`.",
      experimental("turn/start.permissions", nullable(string())),
    ),
    model: described("The model, from this turn on.", nullable(string())),
    serviceTier: described("The service tier, from this turn on.", nullable(string())),
    serviceTierForTurn: described("The service tier of this turn alone.", nullable(string())),
    effort: described("The reasoning effort, from this turn on.", nullable(ReasoningEffort)),
    summary: described("The form of reasoning summaries, from this turn on.", nullable(ReasoningSummary)),
    personality: described("The personality of the agent, from this turn on.", nullable(Personality)),
    outputSchema: described("A JSON Schema for the final message of this turn.", nullable(anyJson())),
    collaborationMode: described(
      "A preset of model, effort and instructions, which overrides the other members.",
      experimental("turn/start.collaborationMode", nullable(CollaborationMode)),
    ),
    multiAgentMode: experimental("turn/start.multiAgentMode", nullable(MultiAgentMode)),
    cyberAccessProgram: experimental("turn/start.cyberAccessProgram", nullable(CyberAccessProgram)),
  }),
);
export const TurnStartResponse = define("TurnStartResponse", object({ turn: Turn }));
export const TurnSettingsUpdateParams = define(
  "TurnSettingsUpdateParams",
  closedObject({
    threadId: string(),
    turnId: string(),
    approvalsReviewer: nullable(ApprovalsReviewer),
    model: nullable(string()),
    effort: nullable(ReasoningEffort),
    summary: nullable(ReasoningSummary),
    serviceTier: nullable(string()),
  }),
);
export const TurnSettingsUpdateStatus = define(
  "TurnSettingsUpdateStatus",
  choice("applied", "targetUnavailable"),
);
export const TurnSettingsUpdateResponse = define(
  "TurnSettingsUpdateResponse",
  object({ status: TurnSettingsUpdateStatus }),
);
export const TurnSteerParams = define(
  "TurnSteerParams",
  object({
    threadId: string(),
    clientUserMessageId: nullable(string()),
    input: array(UserInput),
    responsesapiClientMetadata: experimental(
      "turn/steer.responsesapiClientMetadata",
      nullable(map(string())),
    ),
    responsesapiClientMetadataPatch: experimental(
      "turn/steer.responsesapiClientMetadataPatch",
      nullable(map(string())),
    ),
    additionalContext: experimental("turn/steer.additionalContext", nullable(map(AdditionalContextEntry))),
    expectedTurnId: string(),
  }),
);
export const TurnSteerResponse = define("TurnSteerResponse", object({ turnId: string() }));
export const TurnInterruptParams = define(
  "TurnInterruptParams",
  object({ threadId: string(), turnId: string() }),
);
export const ErrorNotification = define(
  "ErrorNotification",
  object({ error: TurnError, willRetry: boolean(), threadId: string(), turnId: string() }),
);
export const TurnStartedNotification = define(
  "TurnStartedNotification",
  object({ threadId: string(), turn: Turn, seq: seq() }),
);
export const TurnCompletedNotification = define(
  "TurnCompletedNotification",
  object({ threadId: string(), turn: Turn, seq: seq() }),
);
export const TurnDiffUpdatedNotification = define(
  "TurnDiffUpdatedNotification",
  object({ threadId: string(), turnId: string(), diff: string() }),
);
export const TurnPlanStepStatus = define("TurnPlanStepStatus", choice("pending", "inProgress", "completed"));
export const TurnPlanStep = define("TurnPlanStep", object({ step: string(), status: TurnPlanStepStatus }));
export const TurnPlanUpdatedNotification = define(
  "TurnPlanUpdatedNotification",
  object({
    threadId: string(),
    turnId: string(),
    explanation: nullable(string()),
    plan: array(TurnPlanStep),
  }),
);
export const TurnModerationMetadataNotification = define(
  "TurnModerationMetadataNotification",
  object({ threadId: string(), turnId: string(), metadata: anyJson() }),
);

export const turnRequests = {
  "turn/start": request({
    summary: "Starts a turn with the user's input; if a turn is running, the input is added to it.",
    stability: "stable",
    scope: "operate",
    params: TurnStartParams,
    result: TurnStartResponse,
    order: byThread,
    removed: permissionProfile(),
  }),
  "turn/settings/update": request({
    summary: "Changes the settings of the running turn.",
    stability: "experimental",
    scope: "operate",
    params: TurnSettingsUpdateParams,
    result: TurnSettingsUpdateResponse,
    order: byThread,
  }),
  "turn/steer": request({
    summary: "Adds input to the running turn.",
    stability: "stable",
    scope: "operate",
    params: TurnSteerParams,
    result: TurnSteerResponse,
    order: byThread,
  }),
  "turn/interrupt": request({
    summary: "Stops the running turn.",
    stability: "stable",
    scope: "operate",
    params: TurnInterruptParams,
    result: emptyResult("TurnInterruptResponse"),
    order: byThread,
    isAudited: true,
  }),
};

export const turnNotifications = {
  error: notification({
    summary: "A turn failed, or is about to retry.",
    stability: "stable",
    params: ErrorNotification,
    audience: "thread",
  }),
  "turn/started": notification({
    summary: "A turn began.",
    stability: "stable",
    params: TurnStartedNotification,
    audience: "thread",
    isDurable: true,
  }),
  "turn/completed": notification({
    summary: "A turn ended, with any status.",
    stability: "stable",
    params: TurnCompletedNotification,
    audience: "thread",
    isDurable: true,
  }),
  "turn/diff/updated": notification({
    summary: "The changes of the turn so far, as one diff.",
    stability: "stable",
    params: TurnDiffUpdatedNotification,
    audience: "thread",
  }),
  "turn/plan/updated": notification({
    summary: "The plan of the turn changed.",
    stability: "stable",
    params: TurnPlanUpdatedNotification,
    audience: "thread",
  }),
  "turn/moderationMetadata": notification({
    summary: "The provider's moderation result for a turn.",
    stability: "experimental",
    params: TurnModerationMetadataNotification,
    audience: "thread",
  }),
};
