// Apps that the agent can use.

import { free, notification, request } from "./row.ts";
import { array, boolean, define, map, nullable, object, optional, string, u32 } from "./shape.ts";

export const AppsListParams = define(
  "AppsListParams",
  object({
    cursor: nullable(string()),
    limit: nullable(u32()),
    threadId: nullable(string()),
    forceRefetch: optional(boolean()),
  }),
);
export const AppBranding = define(
  "AppBranding",
  object({
    category: nullable(string()),
    developer: nullable(string()),
    website: nullable(string()),
    privacyPolicy: nullable(string()),
    termsOfService: nullable(string()),
    isDiscoverableApp: boolean(),
  }),
);
export const AppReview = define("AppReview", object({ status: string() }));
export const AppScreenshot = define(
  "AppScreenshot",
  object({ url: nullable(string()), fileId: nullable(string()), userPrompt: string() }),
);
export const AppMetadata = define(
  "AppMetadata",
  object({
    review: nullable(AppReview),
    categories: nullable(array(string())),
    subCategories: nullable(array(string())),
    seoDescription: nullable(string()),
    screenshots: nullable(array(AppScreenshot)),
    developer: nullable(string()),
    version: nullable(string()),
    versionId: nullable(string()),
    versionNotes: nullable(string()),
    firstPartyRequiresInstall: nullable(boolean()),
    showInComposerWhenUnlinked: nullable(boolean()),
  }),
);
export const AppInfo = define(
  "AppInfo",
  object({
    id: string(),
    name: string(),
    description: nullable(string()),
    logoUrl: nullable(string()),
    logoUrlDark: nullable(string()),
    iconAssets: nullable(map(string())),
    iconDarkAssets: nullable(map(string())),
    distributionChannel: nullable(string()),
    branding: nullable(AppBranding),
    appMetadata: nullable(AppMetadata),
    labels: nullable(map(string())),
    installUrl: nullable(string()),
    isAccessible: boolean(),
    isEnabled: boolean(),
    pluginDisplayNames: array(string()),
  }),
);
export const AppsListResponse = define(
  "AppsListResponse",
  object({ data: array(AppInfo), nextCursor: nullable(string()) }),
);
export const AppListUpdatedNotification = define(
  "AppListUpdatedNotification",
  object({ data: array(AppInfo) }),
);

export const appRequests = {
  "app/list": request({
    summary: "Pages through known apps.",
    stability: "stable",
    scope: "read",
    params: AppsListParams,
    result: AppsListResponse,
    order: free,
    idempotent: true,
  }),
};

export const appNotifications = {
  "app/list/updated": notification({
    summary: "The known apps changed.",
    stability: "stable",
    params: AppListUpdatedNotification,
    audience: "all",
  }),
};
