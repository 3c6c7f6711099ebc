// Permissions that can be requested and granted, and permission profiles.

import { request, shared } from "./row.ts";
import { array, boolean, choice, define, nullable, object, string, tagged, u32, usize } from "./shape.ts";

export const PermissionProfileListParams = define(
  "PermissionProfileListParams",
  object({ cursor: nullable(string()), limit: nullable(u32()), cwd: nullable(string()) }),
);
export const PermissionProfileSummary = define(
  "PermissionProfileSummary",
  object({ id: string(), description: nullable(string()), allowed: boolean() }),
);
export const PermissionProfileListResponse = define(
  "PermissionProfileListResponse",
  object({ data: array(PermissionProfileSummary), nextCursor: nullable(string()) }),
);
export const FileSystemSpecialPath = define(
  "FileSystemSpecialPath",
  tagged("kind", {
    root: {},
    minimal: {},
    project_roots: { subpath: nullable(string()) },
    tmpdir: {},
    slash_tmp: {},
    unknown: { path: string(), subpath: nullable(string()) },
  }),
);
export const FileSystemPath = define(
  "FileSystemPath",
  tagged("type", {
    path: { path: string() },
    glob_pattern: { pattern: string() },
    special: { value: FileSystemSpecialPath },
  }),
);
export const FileSystemAccessMode = define("FileSystemAccessMode", choice("read", "write", "deny"));
export const FileSystemSandboxEntry = define(
  "FileSystemSandboxEntry",
  object({ path: FileSystemPath, access: FileSystemAccessMode }),
);
export const AdditionalFileSystemPermissions = define(
  "AdditionalFileSystemPermissions",
  object({
    read: nullable(array(string())),
    write: nullable(array(string())),
    globScanMaxDepth: nullable(usize()),
    entries: nullable(array(FileSystemSandboxEntry)),
  }),
);
export const AdditionalNetworkPermissions = define(
  "AdditionalNetworkPermissions",
  object({ enabled: nullable(boolean()) }),
);
export const AdditionalPermissionProfile = define(
  "AdditionalPermissionProfile",
  object({
    network: nullable(AdditionalNetworkPermissions),
    fileSystem: nullable(AdditionalFileSystemPermissions),
  }),
);
export const ExecPolicyAmendment = define("ExecPolicyAmendment", array(string()));
export const GrantedPermissionProfile = define(
  "GrantedPermissionProfile",
  object({
    network: nullable(AdditionalNetworkPermissions),
    fileSystem: nullable(AdditionalFileSystemPermissions),
  }),
);
export const NetworkApprovalProtocol = define(
  "NetworkApprovalProtocol",
  choice("http", "https", "socks5Tcp", "socks5Udp"),
);
export const NetworkApprovalContext = define(
  "NetworkApprovalContext",
  object({ host: string(), protocol: NetworkApprovalProtocol }),
);
export const NetworkPolicyRuleAction = define("NetworkPolicyRuleAction", choice("allow", "deny"));
export const NetworkPolicyAmendment = define(
  "NetworkPolicyAmendment",
  object({ host: string(), action: NetworkPolicyRuleAction }),
);
export const PermissionGrantScope = define("PermissionGrantScope", choice("turn", "session"));
export const RequestPermissionProfile = define(
  "RequestPermissionProfile",
  object({
    network: nullable(AdditionalNetworkPermissions),
    fileSystem: nullable(AdditionalFileSystemPermissions),
  }),
);

export const permissionRequests = {
  "permissionProfile/list": request({
    summary: "Pages through the permission profiles that can be chosen.",
    stability: "stable",
    scope: "read",
    params: PermissionProfileListParams,
    result: PermissionProfileListResponse,
    order: shared("config"),
    idempotent: true,
  }),
};
