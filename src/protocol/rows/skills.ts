// Skills: their locations, dependencies and state.

import { emptyResult, exclusive, notification, request, shared } from "./row.ts";
import {
  absolutePath,
  array,
  boolean,
  choice,
  define,
  nullable,
  object,
  optional,
  path,
  string,
} from "./shape.ts";

export const SkillsListParams = define(
  "SkillsListParams",
  object({ cwds: optional(array(path())), forceReload: optional(boolean()) }),
);
export const SkillInterface = define(
  "SkillInterface",
  object({
    displayName: nullable(string()),
    shortDescription: nullable(string()),
    iconSmall: nullable(absolutePath()),
    iconLarge: nullable(absolutePath()),
    iconSmallUrl: nullable(string()),
    iconLargeUrl: nullable(string()),
    brandColor: nullable(string()),
    defaultPrompt: nullable(string()),
  }),
);
export const SkillToolDependency = define(
  "SkillToolDependency",
  object({
    type: string(),
    value: string(),
    description: optional(string()),
    transport: optional(string()),
    command: optional(string()),
    url: optional(string()),
  }),
);
export const SkillDependencies = define("SkillDependencies", object({ tools: array(SkillToolDependency) }));
export const SkillScope = define("SkillScope", choice("user", "repo", "system", "admin"));
export const SkillMetadata = define(
  "SkillMetadata",
  object({
    name: string(),
    description: string(),
    shortDescription: optional(string()),
    interface: optional(SkillInterface),
    dependencies: optional(SkillDependencies),
    path: string(),
    scope: SkillScope,
    enabled: boolean(),
    pluginId: nullable(string()),
  }),
);
export const SkillErrorInfo = define("SkillErrorInfo", object({ path: string(), message: string() }));
export const SkillsListEntry = define(
  "SkillsListEntry",
  object({ cwd: string(), skills: array(SkillMetadata), errors: array(SkillErrorInfo) }),
);
export const SkillsListResponse = define("SkillsListResponse", object({ data: array(SkillsListEntry) }));
export const SkillsExtraRootsSetParams = define(
  "SkillsExtraRootsSetParams",
  object({ extraRoots: array(absolutePath()) }),
);
export const SkillsConfigWriteParams = define(
  "SkillsConfigWriteParams",
  object({ path: nullable(absolutePath()), name: nullable(string()), enabled: boolean() }),
);
export const SkillsConfigWriteResponse = define(
  "SkillsConfigWriteResponse",
  object({ effectiveEnabled: boolean() }),
);
export const SkillsChangedNotification = define("SkillsChangedNotification", object({}));

export const skillsRequests = {
  "skills/list": request({
    summary: "Lists the skills that apply in given folders.",
    stability: "stable",
    scope: "read",
    params: SkillsListParams,
    result: SkillsListResponse,
    order: shared("config"),
    idempotent: true,
    handlers: "skills",
  }),
  "skills/extraRoots/set": request({
    summary: "Sets additional folders with skills.",
    stability: "stable",
    scope: "admin",
    params: SkillsExtraRootsSetParams,
    result: emptyResult("SkillsExtraRootsSetResponse"),
    order: exclusive("config"),
    handlers: "skills",
  }),
  "skills/config/write": request({
    summary: "Enables or disables a skill.",
    stability: "stable",
    scope: "admin",
    params: SkillsConfigWriteParams,
    result: SkillsConfigWriteResponse,
    order: exclusive("config"),
    handlers: "skills",
    isAudited: true,
  }),
};

export const skillsNotifications = {
  "skills/changed": notification({
    summary: "The skills on disk changed; list them again.",
    stability: "stable",
    params: SkillsChangedNotification,
    audience: "all",
  }),
};
