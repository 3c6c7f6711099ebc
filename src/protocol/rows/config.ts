// Reading and writing the configuration, and its errors.

import { Config } from "./config-view.ts";
import { exclusive, notification, request, shared } from "./row.ts";
import {
  absolutePath,
  anyJson,
  array,
  boolean,
  choice,
  define,
  map,
  nullable,
  object,
  optional,
  string,
  tagged,
  usize,
} from "./shape.ts";

export const ConfigReadParams = define(
  "ConfigReadParams",
  object({ includeLayers: optional(boolean()), cwd: nullable(string()) }),
);
export const ConfigLayerSource = define(
  "ConfigLayerSource",
  tagged("type", {
    packagedDefaults: { file: absolutePath() },
    mdm: { domain: string(), key: string() },
    system: { file: absolutePath() },
    enterpriseManaged: { id: string(), name: string() },
    user: { file: absolutePath(), profile: nullable(string()) },
    project: { dotCodexFolder: absolutePath() },
    sessionFlags: {},
    legacyManagedConfigTomlFromFile: { file: absolutePath() },
    legacyManagedConfigTomlFromMdm: {},
  }),
);
export const ConfigLayerMetadata = define(
  "ConfigLayerMetadata",
  object({ name: ConfigLayerSource, version: string() }),
);
export const ConfigLayer = define(
  "ConfigLayer",
  object({
    name: ConfigLayerSource,
    version: string(),
    config: anyJson(),
    disabledReason: optional(nullable(string())),
  }),
);
export const ConfigReadResponse = define(
  "ConfigReadResponse",
  object({
    config: Config,
    origins: map(ConfigLayerMetadata),
    layers: optional(nullable(array(ConfigLayer))),
  }),
);
export const MergeStrategy = define("MergeStrategy", choice("replace", "upsert"));
export const ConfigValueWriteParams = define(
  "ConfigValueWriteParams",
  object({
    keyPath: string(),
    value: anyJson(),
    mergeStrategy: MergeStrategy,
    filePath: nullable(string()),
    expectedVersion: nullable(string()),
  }),
);
export const WriteStatus = define("WriteStatus", choice("ok", "okOverridden"));
export const OverriddenMetadata = define(
  "OverriddenMetadata",
  object({ message: string(), overridingLayer: ConfigLayerMetadata, effectiveValue: anyJson() }),
);
export const ConfigWriteResponse = define(
  "ConfigWriteResponse",
  object({
    status: WriteStatus,
    version: string(),
    filePath: absolutePath(),
    overriddenMetadata: nullable(OverriddenMetadata),
  }),
);
export const ConfigEdit = define(
  "ConfigEdit",
  object({ keyPath: string(), value: anyJson(), mergeStrategy: MergeStrategy }),
);
export const ConfigBatchWriteParams = define(
  "ConfigBatchWriteParams",
  object({
    edits: array(ConfigEdit),
    filePath: nullable(string()),
    expectedVersion: nullable(string()),
    reloadUserConfig: optional(boolean()),
  }),
);
export const TextPosition = define("TextPosition", object({ line: usize(), column: usize() }));
export const TextRange = define("TextRange", object({ start: TextPosition, end: TextPosition }));
export const ConfigWarningNotification = define(
  "ConfigWarningNotification",
  object({
    summary: string(),
    details: nullable(string()),
    path: optional(string()),
    range: optional(TextRange),
  }),
);

export const configRequests = {
  "config/read": request({
    summary: "Reads the effective configuration and where each value comes from.",
    stability: "stable",
    scope: "admin",
    params: ConfigReadParams,
    result: ConfigReadResponse,
    order: shared("config"),
    idempotent: true,
  }),
  "config/value/write": request({
    summary: "Writes one value of the configuration file.",
    stability: "stable",
    scope: "admin",
    params: ConfigValueWriteParams,
    result: ConfigWriteResponse,
    order: exclusive("config"),
    isAudited: true,
  }),
  "config/batchWrite": request({
    summary: "Writes several values of the configuration file, all or none.",
    stability: "stable",
    scope: "admin",
    params: ConfigBatchWriteParams,
    result: ConfigWriteResponse,
    order: exclusive("config"),
    isAudited: true,
  }),
};

export const configNotifications = {
  configWarning: notification({
    summary: "The configuration has a problem that does not stop the server.",
    stability: "stable",
    params: ConfigWarningNotification,
    audience: "connection",
  }),
};
