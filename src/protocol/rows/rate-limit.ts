// Usage limits of the account.

import { PlanType } from "./account.ts";
import { free, notification, request } from "./row.ts";
import {
  anyJson,
  array,
  boolean,
  choice,
  define,
  i32,
  i64,
  map,
  nullable,
  object,
  optional,
  string,
} from "./shape.ts";

export const GetAccountRateLimitsParams = define(
  "GetAccountRateLimitsParams",
  object({ supportsLunaReserve: optional(boolean()), excludeResetCreditDetails: optional(boolean()) }),
);
export const RateLimitWindow = define(
  "RateLimitWindow",
  object({ usedPercent: i32(), windowDurationMins: nullable(i64()), resetsAt: nullable(i64()) }),
);
export const CreditsSnapshot = define(
  "CreditsSnapshot",
  object({ hasCredits: boolean(), unlimited: boolean(), balance: nullable(string()) }),
);
export const SpendControlLimitSnapshot = define(
  "SpendControlLimitSnapshot",
  object({ limit: string(), used: string(), remainingPercent: i32(), resetsAt: i64() }),
);
export const RateLimitReachedType = define(
  "RateLimitReachedType",
  choice(
    "rate_limit_reached",
    "workspace_owner_credits_depleted",
    "workspace_member_credits_depleted",
    "workspace_owner_usage_limit_reached",
    "workspace_member_usage_limit_reached",
  ),
);
export const RateLimitSnapshot = define(
  "RateLimitSnapshot",
  object({
    limitId: nullable(string()),
    limitName: nullable(string()),
    normalModelSlug: nullable(string()),
    primary: nullable(RateLimitWindow),
    secondary: nullable(RateLimitWindow),
    credits: nullable(CreditsSnapshot),
    individualLimit: nullable(SpendControlLimitSnapshot),
    spendControlReached: nullable(boolean()),
    planType: nullable(PlanType),
    rateLimitReachedType: nullable(RateLimitReachedType),
  }),
);
export const RateLimitResetType = define("RateLimitResetType", choice("codexRateLimits", "unknown"));
export const RateLimitResetCreditStatus = define(
  "RateLimitResetCreditStatus",
  choice("available", "redeeming", "redeemed", "unknown"),
);
export const RateLimitResetCredit = define(
  "RateLimitResetCredit",
  object({
    id: string(),
    resetType: RateLimitResetType,
    status: RateLimitResetCreditStatus,
    grantedAt: i64(),
    expiresAt: nullable(i64()),
    title: nullable(string()),
    description: nullable(string()),
  }),
);
export const RateLimitResetCreditsSummary = define(
  "RateLimitResetCreditsSummary",
  object({ availableCount: i64(), credits: nullable(array(RateLimitResetCredit)) }),
);
export const GetAccountRateLimitsResponse = define(
  "GetAccountRateLimitsResponse",
  object({
    ordinaryUsageAllowed: nullable(boolean()),
    rateLimits: RateLimitSnapshot,
    rateLimitsByLimitId: nullable(map(RateLimitSnapshot)),
    rateLimitResetCredits: nullable(RateLimitResetCreditsSummary),
    accountId: nullable(string()),
    rateLimitUpsell: nullable(anyJson()),
  }),
);
export const AccountRateLimitsUpdatedNotification = define(
  "AccountRateLimitsUpdatedNotification",
  object({ rateLimits: RateLimitSnapshot }),
);

export const rateLimitRequests = {
  "account/rateLimits/read": request({
    summary: "Reads the usage limits of the account.",
    stability: "stable",
    scope: "read",
    params: GetAccountRateLimitsParams,
    paramsOptional: true,
    result: GetAccountRateLimitsResponse,
    order: free,
    idempotent: true,
  }),
};

export const rateLimitNotifications = {
  "account/rateLimits/updated": notification({
    summary: "The usage limits of the account changed.",
    stability: "stable",
    params: AccountRateLimitsUpdatedNotification,
    audience: "thread",
  }),
};
