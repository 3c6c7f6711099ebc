// Plugins and marketplaces.

import { free, request } from "./row.ts";
import {
  absolutePath,
  array,
  boolean,
  choice,
  define,
  i64,
  nullable,
  object,
  optional,
  string,
  tagged,
} from "./shape.ts";

export const PluginListMarketplaceKind = define(
  "PluginListMarketplaceKind",
  choice("local", "vertical", "workspace-directory", "shared-with-me", "created-by-me-remote"),
);
export const PluginListParams = define(
  "PluginListParams",
  object({
    cwds: nullable(array(absolutePath())),
    marketplaceKinds: nullable(array(PluginListMarketplaceKind)),
    forceRefetch: optional(boolean()),
  }),
);
export const MarketplaceInterface = define(
  "MarketplaceInterface",
  object({ displayName: nullable(string()) }),
);
export const PluginShareDiscoverability = define(
  "PluginShareDiscoverability",
  choice("LISTED", "UNLISTED", "PRIVATE"),
);
export const PluginSharePrincipalType = define(
  "PluginSharePrincipalType",
  choice("user", "group", "workspace"),
);
export const PluginSharePrincipalRole = define(
  "PluginSharePrincipalRole",
  choice("reader", "editor", "owner"),
);
export const PluginSharePrincipal = define(
  "PluginSharePrincipal",
  object({
    principalType: PluginSharePrincipalType,
    principalId: string(),
    role: PluginSharePrincipalRole,
    name: string(),
  }),
);
export const PluginShareContext = define(
  "PluginShareContext",
  object({
    remotePluginId: string(),
    remoteVersion: nullable(string()),
    discoverability: nullable(PluginShareDiscoverability),
    shareUrl: nullable(string()),
    creatorAccountUserId: nullable(string()),
    creatorName: nullable(string()),
    sharePrincipals: nullable(array(PluginSharePrincipal)),
    canPublishToWorkspace: nullable(boolean()),
  }),
);
export const PluginSource = define(
  "PluginSource",
  tagged("type", {
    local: { path: absolutePath() },
    git: { url: string(), path: nullable(string()), refName: nullable(string()), sha: nullable(string()) },
    npm: { package: string(), version: nullable(string()), registry: nullable(string()) },
    remote: {},
  }),
);
export const PluginInstallPolicy = define(
  "PluginInstallPolicy",
  choice("NOT_AVAILABLE", "AVAILABLE", "INSTALLED_BY_DEFAULT"),
);
export const PluginInstallPolicySource = define(
  "PluginInstallPolicySource",
  choice("WORKSPACE_SETTING", "IMPLICIT_CANONICAL_APP"),
);
export const PluginAuthPolicy = define("PluginAuthPolicy", choice("ON_INSTALL", "ON_USE"));
export const PluginAvailability = define("PluginAvailability", choice("AVAILABLE", "DISABLED_BY_ADMIN"));
export const PluginDisabledReason = define(
  "PluginDisabledReason",
  choice("disabled_by_admin", "plan_not_eligible", "required_app_unavailable", "unknown"),
);
export const PluginInterface = define(
  "PluginInterface",
  object({
    displayName: nullable(string()),
    shortDescription: nullable(string()),
    longDescription: nullable(string()),
    developerName: nullable(string()),
    category: nullable(string()),
    capabilities: array(string()),
    websiteUrl: nullable(string()),
    privacyPolicyUrl: nullable(string()),
    termsOfServiceUrl: nullable(string()),
    defaultPrompt: nullable(array(string())),
    brandColor: nullable(string()),
    composerIcon: nullable(absolutePath()),
    composerIconUrl: nullable(string()),
    logo: nullable(absolutePath()),
    logoDark: nullable(absolutePath()),
    logoUrl: nullable(string()),
    logoUrlDark: nullable(string()),
    screenshots: array(absolutePath()),
    screenshotUrls: array(string()),
  }),
);
export const PluginSummary = define(
  "PluginSummary",
  object({
    id: string(),
    remotePluginId: nullable(string()),
    version: nullable(string()),
    localVersion: nullable(string()),
    name: string(),
    shareContext: nullable(PluginShareContext),
    source: PluginSource,
    installed: boolean(),
    installedAt: nullable(i64()),
    enabled: boolean(),
    installPolicy: PluginInstallPolicy,
    installPolicySource: nullable(PluginInstallPolicySource),
    mustShowInstallationInterstitial: nullable(boolean()),
    authPolicy: PluginAuthPolicy,
    availability: PluginAvailability,
    disabledReason: nullable(PluginDisabledReason),
    eligiblePlanTypes: nullable(array(string())),
    interface: nullable(PluginInterface),
    keywords: array(string()),
  }),
);
export const PluginMarketplaceEntry = define(
  "PluginMarketplaceEntry",
  object({
    name: string(),
    path: nullable(absolutePath()),
    interface: nullable(MarketplaceInterface),
    plugins: array(PluginSummary),
  }),
);
export const MarketplaceLoadErrorInfo = define(
  "MarketplaceLoadErrorInfo",
  object({ marketplacePath: absolutePath(), message: string() }),
);
export const PluginListResponse = define(
  "PluginListResponse",
  object({
    marketplaces: array(PluginMarketplaceEntry),
    marketplaceLoadErrors: array(MarketplaceLoadErrorInfo),
    featuredPluginIds: array(string()),
  }),
);

export const pluginRequests = {
  "plugin/list": request({
    summary: "Lists known plugins by marketplace.",
    stability: "stable",
    scope: "read",
    params: PluginListParams,
    result: PluginListResponse,
    order: free,
    idempotent: true,
  }),
};
