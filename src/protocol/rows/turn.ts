// Turns: start, steer, interrupt, and what happens meanwhile.

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
      "A key under which the message counts once, however often it is sent.",
      nullable(string()),
    ),
    input: described("What the user says.", array(UserInput)),
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
      "Where commands of this turn run; none leaves it as it was, an empty list forbids them.",
      experimental("turn/start.environments", nullable(array(TurnEnvironmentParams))),
    ),
    cwd: described("The folder to work in, from this turn on.", nullable(string())),
    runtimeWorkspaceRoots: experimental("turn/start.runtimeWorkspaceRoots", nullable(array(absolutePath()))),
    approvalPolicy: described(
      "When to ask before commands run, from this turn on.",
      nullable(AskForApproval),
    ),
    approvalsReviewer: described("Who is asked, from this turn on.", nullable(ApprovalsReviewer)),
    sandboxPolicy: described(
      "What commands may do, from this turn on. Not together with `permissions`.",
      nullable(SandboxPolicy),
    ),
    permissions: described(
      "A profile of permissions by its name, from this turn on. Not together with `sandboxPolicy`.",
      experimental("turn/start.permissions", nullable(string())),
    ),
    model: described("The model, from this turn on.", nullable(string())),
    serviceTier: described("The service tier, from this turn on.", nullable(string())),
    serviceTierForTurn: described("The service tier of this turn alone.", nullable(string())),
    effort: described("How hard the model thinks, from this turn on.", nullable(ReasoningEffort)),
    summary: described("How its reasoning is summarised, from this turn on.", nullable(ReasoningSummary)),
    personality: described("How the agent speaks, from this turn on.", nullable(Personality)),
    outputSchema: described(
      "A JSON Schema that the last message of this turn has to fit.",
      nullable(anyJson()),
    ),
    collaborationMode: described(
      "A preset of model, effort and instructions, which goes before the other members.",
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
  object({ threadId: string(), turn: Turn }),
);
export const TurnCompletedNotification = define(
  "TurnCompletedNotification",
  object({ threadId: string(), turn: Turn }),
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
    summary: "Starts a turn with the user's input; where one is running, the input is added to it.",
    stability: "stable",
    params: TurnStartParams,
    result: TurnStartResponse,
    order: byThread,
    removed: permissionProfile(),
  }),
  "turn/settings/update": request({
    summary: "Changes the settings of the running turn.",
    stability: "experimental",
    params: TurnSettingsUpdateParams,
    result: TurnSettingsUpdateResponse,
    order: byThread,
  }),
  "turn/steer": request({
    summary: "Adds input to the running turn.",
    stability: "stable",
    params: TurnSteerParams,
    result: TurnSteerResponse,
    order: byThread,
  }),
  "turn/interrupt": request({
    summary: "Stops the running turn.",
    stability: "stable",
    params: TurnInterruptParams,
    result: emptyResult("TurnInterruptResponse"),
    order: byThread,
  }),
};

export const turnNotifications = {
  error: notification({
    summary: "A turn failed, or is about to try again.",
    stability: "stable",
    params: ErrorNotification,
    audience: "thread",
  }),
  "turn/started": notification({
    summary: "A turn began.",
    stability: "stable",
    params: TurnStartedNotification,
    audience: "thread",
  }),
  "turn/completed": notification({
    summary: "A turn ended, in whichever way.",
    stability: "stable",
    params: TurnCompletedNotification,
    audience: "thread",
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
    summary: "What the provider's moderation said about a turn.",
    stability: "experimental",
    params: TurnModerationMetadataNotification,
    audience: "thread",
  }),
};
