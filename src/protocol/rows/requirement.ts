// Administrator requirements for the configuration.

import { hookEventRows } from "../generated/hook-events.ts";
import { AllowDenyRequirement, ForcedLoginMethod, WebSearchMode } from "./config-view.ts";
import { ReasoningEffort } from "./mode.ts";
import { ApprovalsReviewer, AskForApproval, SandboxMode } from "./policy.ts";
import { request, shared } from "./row.ts";
import {
  anyJson,
  array,
  boolean,
  choice,
  define,
  experimental,
  map,
  nullable,
  object,
  string,
  tagged,
  u16,
  u64,
  unit,
  usize,
  variants,
} from "./shape.ts";

export const CliAuthCredentialsStoreMode = define(
  "CliAuthCredentialsStoreMode",
  choice("file", "keyring", "auto", "ephemeral"),
);
export const WindowsSandboxImplementation = define(
  "WindowsSandboxImplementation",
  choice("elevated", "unelevated", "mxc"),
);
export const ComputerUseMacosRequirements = define(
  "ComputerUseMacosRequirements",
  object({ bundleIds: nullable(map(AllowDenyRequirement)) }),
);
export const ComputerUseWindowsExeRequirement = define(
  "ComputerUseWindowsExeRequirement",
  object({
    publisherName: string(),
    productName: string(),
    binaryName: nullable(string()),
    access: AllowDenyRequirement,
  }),
);
export const ComputerUseWindowsRequirements = define(
  "ComputerUseWindowsRequirements",
  object({
    aumids: nullable(map(AllowDenyRequirement)),
    exes: nullable(array(ComputerUseWindowsExeRequirement)),
  }),
);
export const ComputerUseRequirements = define(
  "ComputerUseRequirements",
  object({
    allowLockedComputerUse: nullable(boolean()),
    allowPersistentApproval: nullable(boolean()),
    defaultAppAccess: nullable(AllowDenyRequirement),
    macos: nullable(ComputerUseMacosRequirements),
    windows: nullable(ComputerUseWindowsRequirements),
  }),
);
export const RequestHeader = define("RequestHeader", object({ name: string(), value: string() }));
export const BrowserUseExtensionRequirements = define(
  "BrowserUseExtensionRequirements",
  object({ requestHeaders: nullable(array(RequestHeader)) }),
);
export const BrowserUseAccessApprovalLifetime = define(
  "BrowserUseAccessApprovalLifetime",
  choice("turn", "thread"),
);
export const BrowserUseOriginPolicy = define(
  "BrowserUseOriginPolicy",
  object({
    access: nullable(AllowDenyRequirement),
    downloads: nullable(AllowDenyRequirement),
    uploads: nullable(AllowDenyRequirement),
    fullCdpAccess: nullable(AllowDenyRequirement),
    autoReview: nullable(AllowDenyRequirement),
    persistentApproval: nullable(boolean()),
    accessApprovalLifetime: nullable(BrowserUseAccessApprovalLifetime),
  }),
);
export const BrowserUseRequirements = define(
  "BrowserUseRequirements",
  object({
    extension: nullable(BrowserUseExtensionRequirements),
    allowWebmcp: nullable(boolean()),
    allowHistoryAccess: nullable(boolean()),
    disableAutoReview: nullable(boolean()),
    allowGlobalPersistentApproval: nullable(boolean()),
    defaultOriginPolicy: nullable(BrowserUseOriginPolicy),
    origins: nullable(map(BrowserUseOriginPolicy)),
  }),
);
export const InAppBrowserRequirements = define(
  "InAppBrowserRequirements",
  object({ allowExternalBrowserSettingsImport: nullable(boolean()) }),
);
export const ConfiguredHookHandler = define(
  "ConfiguredHookHandler",
  tagged("type", {
    command: {
      command: string(),
      commandWindows: nullable(string()),
      timeoutSec: nullable(u64()),
      async: boolean(),
      statusMessage: nullable(string()),
      additionalContextLimit: nullable(usize()),
    },
    mcp_tool: {
      server: string(),
      tool: string(),
      input: map(anyJson()),
      timeoutSec: nullable(u64()),
      statusMessage: nullable(string()),
    },
    prompt: {},
    agent: {},
  }),
);
export const ConfiguredHookMatcherGroup = define(
  "ConfiguredHookMatcherGroup",
  object({ matcher: nullable(string()), hooks: array(ConfiguredHookHandler) }),
);
const hookGroups = hookEventRows.map(({ name }) => [name, array(ConfiguredHookMatcherGroup)] as const);
export const ManagedHooksRequirements = define(
  "ManagedHooksRequirements",
  object({
    // The peer declares its folders after the first two events.
    ...Object.fromEntries(hookGroups.slice(0, 2)),
    managedDir: nullable(string()),
    windowsManagedDir: nullable(string()),
    ...Object.fromEntries(hookGroups.slice(2)),
  }),
);
export const ResidencyRequirement = define("ResidencyRequirement", choice("us"));
export const NetworkDomainPermission = define("NetworkDomainPermission", choice("allow", "deny"));
export const NetworkUnixSocketPermission = define("NetworkUnixSocketPermission", choice("allow", "deny"));
export const NetworkRequirements = define(
  "NetworkRequirements",
  object({
    enabled: nullable(boolean()),
    httpPort: nullable(u16()),
    socksPort: nullable(u16()),
    allowUpstreamProxy: nullable(boolean()),
    dangerouslyAllowNonLoopbackProxy: nullable(boolean()),
    dangerouslyAllowAllUnixSockets: nullable(boolean()),
    domains: nullable(map(NetworkDomainPermission)),
    reviewDomains: nullable(array(string())),
    managedAllowedDomainsOnly: nullable(boolean()),
    allowedDomains: nullable(array(string())),
    deniedDomains: nullable(array(string())),
    unixSockets: nullable(map(NetworkUnixSocketPermission)),
    allowUnixSockets: nullable(array(string())),
    allowLocalBinding: nullable(boolean()),
  }),
);
export const ApplicationNetworkRequirements = define(
  "ApplicationNetworkRequirements",
  object({ enabled: boolean(), domains: map(NetworkDomainPermission) }),
);
export const ApplicationStorageRequirements = define(
  "ApplicationStorageRequirements",
  object({ defaultProjectParent: nullable(string()), projectlessWorkspaceRoot: nullable(string()) }),
);
export const ApplicationRequirements = define(
  "ApplicationRequirements",
  object({
    network: nullable(ApplicationNetworkRequirements),
    storage: nullable(ApplicationStorageRequirements),
  }),
);
export const AutoReviewRequirements = define(
  "AutoReviewRequirements",
  object({ requiredOnModels: nullable(array(string())), ignoreRules: nullable(array(string())) }),
);
export const NewThreadModelDefaults = define(
  "NewThreadModelDefaults",
  object({
    model: nullable(string()),
    modelReasoningEffort: nullable(ReasoningEffort),
    serviceTier: nullable(string()),
  }),
);
export const ModelsRequirements = define(
  "ModelsRequirements",
  object({ newThread: nullable(NewThreadModelDefaults) }),
);
export const FeedbackRequirements = define("FeedbackRequirements", object({ enabled: nullable(boolean()) }));
export const OtelToolResultLogConfig = define("OtelToolResultLogConfig", object({ max_bytes: usize() }));
export const OtelHttpProtocol = define("OtelHttpProtocol", choice("binary", "json"));
export const OtelTlsConfig = define(
  "OtelTlsConfig",
  object({
    "ca-certificate": nullable(string()),
    "client-certificate": nullable(string()),
    "client-private-key": nullable(string()),
  }),
);
export const OtelExporter = define(
  "OtelExporter",
  variants({
    none: unit,
    statsig: unit,
    "otlp-http": object({
      endpoint: string(),
      headers: map(string()),
      protocol: OtelHttpProtocol,
      tls: nullable(OtelTlsConfig),
    }),
    "otlp-grpc": object({ endpoint: string(), headers: map(string()), tls: nullable(OtelTlsConfig) }),
  }),
);
export const OtelRequirements = define(
  "OtelRequirements",
  object({
    tool_result: nullable(OtelToolResultLogConfig),
    log_user_prompt: nullable(boolean()),
    log_agent_responses: nullable(boolean()),
    log_guardian_assessments: nullable(boolean()),
    environment: nullable(string()),
    exporter: nullable(OtelExporter),
    trace_exporter: nullable(OtelExporter),
    metrics_exporter: nullable(OtelExporter),
    span_attributes: nullable(map(string())),
    tracestate: nullable(map(map(string()))),
  }),
);
export const ConfigRequirements = define(
  "ConfigRequirements",
  object({
    modelProvider: nullable(string()),
    modelProviders: nullable(map(anyJson())),
    allowedLoginMethods: nullable(array(ForcedLoginMethod)),
    cliAuthCredentialsStore: nullable(CliAuthCredentialsStoreMode),
    chatgptBaseUrl: nullable(string()),
    additionalDeveloperInstructions: nullable(string()),
    allowedApprovalPolicies: nullable(array(AskForApproval)),
    allowedApprovalsReviewers: experimental(
      "configRequirements/read.allowedApprovalsReviewers",
      nullable(array(ApprovalsReviewer)),
    ),
    allowedSandboxModes: nullable(array(SandboxMode)),
    allowedWindowsSandboxImplementations: nullable(array(WindowsSandboxImplementation)),
    allowedPermissionProfiles: nullable(map(boolean())),
    defaultPermissions: nullable(string()),
    allowedWebSearchModes: nullable(array(WebSearchMode)),
    allowManagedHooksOnly: nullable(boolean()),
    allowBrowserAndComputerUse: nullable(boolean()),
    allowAppshots: nullable(boolean()),
    allowRemoteControl: nullable(boolean()),
    computerUse: nullable(ComputerUseRequirements),
    browserUse: nullable(BrowserUseRequirements),
    inAppBrowser: nullable(InAppBrowserRequirements),
    featureRequirements: nullable(map(boolean())),
    hooks: experimental("configRequirements/read.hooks", nullable(ManagedHooksRequirements)),
    enforceResidency: nullable(ResidencyRequirement),
    network: experimental("configRequirements/read.network", nullable(NetworkRequirements)),
    application: experimental("configRequirements/read.application", nullable(ApplicationRequirements)),
    autoReview: nullable(AutoReviewRequirements),
    models: nullable(ModelsRequirements),
    sqliteHome: nullable(string()),
    logDir: nullable(string()),
    modelCatalogJson: nullable(string()),
    checkForUpdateOnStartup: nullable(boolean()),
    allowLoginShell: nullable(boolean()),
    feedback: nullable(FeedbackRequirements),
    otel: nullable(OtelRequirements),
  }),
);
export const ConfigRequirementsReadResponse = define(
  "ConfigRequirementsReadResponse",
  object({ supportsIndependentSpeedModes: nullable(boolean()), requirements: nullable(ConfigRequirements) }),
);

export const requirementRequests = {
  "configRequirements/read": request({
    summary: "Reads the administrator's requirements for the configuration.",
    stability: "stable",
    scope: "read",
    params: null,
    paramsOptional: true,
    result: ConfigRequirementsReadResponse,
    order: shared("config"),
    idempotent: true,
  }),
};
