// A turn as it is stored and shown, and its errors.

import { HookRunSummary } from "./hook-run.ts";
import { ThreadItem } from "./item.ts";
import {
  array,
  choice,
  define,
  heddle,
  i64,
  nullable,
  object,
  optional,
  string,
  u16,
  unit,
  variants,
} from "./shape.ts";

export const NonSteerableTurnKind = define("NonSteerableTurnKind", choice("review", "compact"));
export const CodexErrorInfo = define(
  "CodexErrorInfo",
  variants({
    contextWindowExceeded: unit,
    sessionBudgetExceeded: unit,
    usageLimitExceeded: unit,
    rateLimitExceeded: unit,
    flexUnavailable: unit,
    serverOverloaded: unit,
    modelNotFound: unit,
    policyCapacityUnavailable: unit,
    cyberPolicy: unit,
    misalignmentPolicyViolation: unit,
    tooManyDenials: unit,
    httpConnectionFailed: object({ httpStatusCode: nullable(u16()) }),
    responseStreamConnectionFailed: object({ httpStatusCode: nullable(u16()) }),
    internalServerError: unit,
    unauthorized: unit,
    badRequest: unit,
    threadRollbackFailed: unit,
    sandboxError: unit,
    responseStreamDisconnected: object({ httpStatusCode: nullable(u16()) }),
    responseTooManyFailedAttempts: object({ httpStatusCode: nullable(u16()) }),
    activeTurnNotSteerable: object({ turnKind: NonSteerableTurnKind }),
    other: unit,
  }),
);
export const MisalignmentSteer = define("MisalignmentSteer", object({ message: string() }));
export const MisalignmentErrorDetails = define(
  "MisalignmentErrorDetails",
  object({
    errorType: nullable(string()),
    detailedExplanation: nullable(string()),
    steer: nullable(MisalignmentSteer),
    reviewTarget: optional(nullable(string())),
  }),
);
export const TurnItemsView = define("TurnItemsView", choice("notLoaded", "summary", "full"));
export const TurnStatus = define("TurnStatus", choice("completed", "interrupted", "failed", "inProgress"));
export const TurnError = define(
  "TurnError",
  object({
    message: string(),
    codexErrorInfo: nullable(CodexErrorInfo),
    additionalDetails: nullable(string()),
    misalignment: nullable(MisalignmentErrorDetails),
  }),
);
export const Turn = define(
  "Turn",
  object({
    id: string(),
    rootTurnId: nullable(string()),
    items: array(ThreadItem),
    itemsView: TurnItemsView,
    status: TurnStatus,
    error: nullable(TurnError),
    startedAt: nullable(i64()),
    completedAt: nullable(i64()),
    durationMs: nullable(i64()),
    hookRuns: heddle("The hooks that ran for this turn, in display order.", array(HookRunSummary)),
  }),
);
