// The account and its login.

import { emptyResult, exclusive, notification, request, serverRequest } from "./row.ts";
import {
  boolean,
  choice,
  define,
  experimental,
  gated,
  nullable,
  object,
  optional,
  string,
  tagged,
} from "./shape.ts";

export const LoginAppBrand = define("LoginAppBrand", choice("codex", "chatgpt"));
export const LoginAccountParams = define(
  "LoginAccountParams",
  tagged("type", {
    apiKey: { apiKey: string() },
    chatgpt: {
      codexStreamlinedLogin: optional(boolean()),
      useHostedLoginSuccessPage: optional(boolean()),
      appBrand: nullable(LoginAppBrand),
    },
    chatgptDeviceCode: {},
    chatgptAuthTokens: gated("account/login/start.chatgptAuthTokens", {
      accessToken: string(),
      chatgptAccountId: string(),
      chatgptPlanType: nullable(string()),
    }),
    amazonBedrock: gated("account/login/start.amazonBedrock", { apiKey: string(), region: string() }),
    amazonBedrockAccessKeys: gated("account/login/start.amazonBedrockAccessKeys", {
      accessKeyId: string(),
      secretAccessKey: string(),
      sessionToken: nullable(string()),
      region: string(),
    }),
  }),
);
export const LoginAccountResponse = define(
  "LoginAccountResponse",
  tagged("type", {
    apiKey: {},
    chatgpt: { loginId: string(), authUrl: string() },
    chatgptDeviceCode: { loginId: string(), verificationUrl: string(), userCode: string() },
    chatgptAuthTokens: {},
    amazonBedrock: {},
  }),
);
export const CancelLoginAccountParams = define("CancelLoginAccountParams", object({ loginId: string() }));
export const CancelLoginAccountStatus = define("CancelLoginAccountStatus", choice("canceled", "notFound"));
export const CancelLoginAccountResponse = define(
  "CancelLoginAccountResponse",
  object({ status: CancelLoginAccountStatus }),
);
export const GetAccountParams = define("GetAccountParams", object({ refreshToken: optional(boolean()) }));
export const PlanType = define(
  "PlanType",
  choice(
    "free",
    "go",
    "plus",
    "pro",
    "prolite",
    "promax",
    "team",
    "self_serve_business_prolite",
    "self_serve_business_usage_based",
    "business",
    "ent26",
    "enterprise_cbp_automation",
    "enterprise_cbp_usage_based",
    "enterprise",
    "edu",
    "edu_plus",
    "edu_pro",
    "sci",
    "sci_plus",
    "unknown",
  ),
);
export const Account = define(
  "Account",
  tagged("type", {
    apiKey: {},
    chatgpt: { email: nullable(string()), planType: PlanType, workspaceName: nullable(string()) },
    amazonBedrock: { usesCodexManagedCredentials: boolean() },
    gcp: {},
  }),
);
export const AccountRoutingOverride = define(
  "AccountRoutingOverride",
  choice("NO_CONSTRAINT", "us", "us_cr"),
);
export const WorkspaceRouting = define(
  "WorkspaceRouting",
  object({
    chatgptAccountId: string(),
    backendOrigin: string(),
    accountRoutingOverride: AccountRoutingOverride,
  }),
);
export const GetAccountResponse = define(
  "GetAccountResponse",
  object({
    account: nullable(Account),
    requiresOpenaiAuth: boolean(),
    workspaceRouting: experimental("account/read.workspaceRouting", nullable(WorkspaceRouting)),
  }),
);
export const GetAuthStatusParams = define(
  "GetAuthStatusParams",
  object({ includeToken: nullable(boolean()), refreshToken: nullable(boolean()) }),
);
export const AuthMode = define(
  "AuthMode",
  choice(
    "apikey",
    "chatgpt",
    "chatgptAuthTokens",
    "headers",
    "agentIdentity",
    "personalAccessToken",
    "bedrockApiKey",
    "bedrockAccessKeys",
  ),
);
export const GetAuthStatusResponse = define(
  "GetAuthStatusResponse",
  object({
    authMethod: nullable(AuthMode),
    authToken: nullable(string()),
    requiresOpenaiAuth: nullable(boolean()),
  }),
);
export const AccountUpdatedNotification = define(
  "AccountUpdatedNotification",
  object({ authMode: nullable(AuthMode), planType: nullable(PlanType) }),
);
export const DesktopOnboardingEntrypoint = define("DesktopOnboardingEntrypoint", choice("life_sciences"));
export const AccountLoginCompletedNotification = define(
  "AccountLoginCompletedNotification",
  object({
    loginId: nullable(string()),
    success: boolean(),
    error: nullable(string()),
    onboardingEntrypoint: nullable(DesktopOnboardingEntrypoint),
  }),
);
export const ChatgptAuthTokensRefreshReason = define(
  "ChatgptAuthTokensRefreshReason",
  choice("unauthorized"),
);
export const ChatgptAuthTokensRefreshParams = define(
  "ChatgptAuthTokensRefreshParams",
  object({ reason: ChatgptAuthTokensRefreshReason, previousAccountId: optional(nullable(string())) }),
);
export const ChatgptAuthTokensRefreshResponse = define(
  "ChatgptAuthTokensRefreshResponse",
  object({ accessToken: string(), chatgptAccountId: string(), chatgptPlanType: nullable(string()) }),
);

export const accountRequests = {
  "account/login/start": request({
    summary: "Starts a login, or stores a key at once.",
    stability: "stable",
    scope: "admin",
    params: LoginAccountParams,
    result: LoginAccountResponse,
    order: exclusive("account-auth"),
  }),
  "account/login/cancel": request({
    summary: "Cancels a login.",
    stability: "stable",
    scope: "admin",
    params: CancelLoginAccountParams,
    result: CancelLoginAccountResponse,
    order: exclusive("account-auth"),
  }),
  "account/logout": request({
    summary: "Deletes the stored credentials.",
    stability: "stable",
    scope: "admin",
    params: null,
    paramsOptional: true,
    result: emptyResult("LogoutAccountResponse"),
    order: exclusive("account-auth"),
  }),
  "account/read": request({
    summary: "Reads the account that is logged in.",
    stability: "stable",
    scope: "read",
    params: GetAccountParams,
    result: GetAccountResponse,
    order: exclusive("account-auth"),
    idempotent: true,
  }),
  getAuthStatus: request({
    summary: "Reads how the server authenticates; of the first generation of the protocol.",
    stability: "stable",
    scope: "admin",
    params: GetAuthStatusParams,
    result: GetAuthStatusResponse,
    order: exclusive("account-auth"),
    idempotent: true,
  }),
};

export const accountServerRequests = {
  "account/chatgptAuthTokens/refresh": serverRequest({
    summary: "Requests new tokens from a client that holds the login.",
    stability: "stable",
    params: ChatgptAuthTokensRefreshParams,
    result: ChatgptAuthTokensRefreshResponse,
  }),
};

export const accountNotifications = {
  "account/updated": notification({
    summary: "The login state or plan changed.",
    stability: "stable",
    params: AccountUpdatedNotification,
    audience: "all",
  }),
  "account/login/completed": notification({
    summary: "A login ended.",
    stability: "stable",
    params: AccountLoginCompletedNotification,
    audience: "all",
  }),
};
