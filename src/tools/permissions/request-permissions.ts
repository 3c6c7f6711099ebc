/** The tool `request_permissions`: asks for permissions beyond the sandbox, before they are needed. */
import { resolve } from "node:path";
import type { PermissionGrantScope } from "../../protocol/generated/types.ts";
import { decodeArguments, flag, list, maybe, struct, text } from "../arguments/decode-arguments.ts";
import type { AdditionalPermissions } from "../permission.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";

const PATHS = { type: "array", items: { type: "string" } };

const SPEC = {
  type: "function",
  name: "request_permissions",
  description:
    "Asks the user for access that the sandbox does not give: folders to write to, or the network. The user may grant a part of it, for this turn or for the session.",
  strict: false,
  parameters: {
    type: "object",
    properties: {
      reason: { type: "string", description: "The purpose, in a few words." },
      permissions: {
        type: "object",
        properties: {
          network: { type: "object", properties: { enabled: { type: "boolean" } } },
          file_system: { type: "object", properties: { read: PATHS, write: PATHS } },
        },
      },
    },
    required: ["permissions"],
    additionalProperties: false,
  },
};

const ARGUMENTS = struct("RequestPermissionsArgs", {
  reason: maybe(text),
  permissions: struct("RequestPermissionProfile", {
    network: maybe(struct("NetworkPermissions", { enabled: maybe(flag) })),
    file_system: maybe(
      struct("FileSystemPermissions", { read: maybe(list(text)), write: maybe(list(text)) }),
    ),
  }),
});

export function createRequestPermissions(): Tool {
  return {
    name: SPEC.name,
    spec: SPEC,
    parallel: false,
    describeCall: describeFunctionCall,
    run: requestPermissions,
  };
}

const NOTHING: AdditionalPermissions = { network: false, read: [], write: [] };

async function requestPermissions(given: ToolCall, context: ToolContext): Promise<ToolResult> {
  const decoded = decodeArguments(given.input, ARGUMENTS);
  if (decoded.kind === "wrong") return refuseCall(decoded.message);
  const { reason, permissions } = decoded.value;
  const { cwd } = context;
  const absolute = (paths: readonly string[] | null | undefined) =>
    (paths ?? []).map((path) => resolve(cwd, path));
  const requested: AdditionalPermissions = {
    network: permissions.network?.enabled ?? false,
    read: absolute(permissions.file_system?.read),
    write: absolute(permissions.file_system?.write),
  };
  if (!requested.network && requested.read.length + requested.write.length === 0) {
    return refuseCall("request_permissions requires at least one permission");
  }
  const answer = await context.permissions.request({
    kind: "permissions",
    call: describeFunctionCall(given),
    itemId: given.callId,
    cwd,
    reason,
    requested,
  });
  if (answer.kind === "approved") return toResult(answer.granted, answer.scope);
  return toResult(NOTHING, answer.kind === "declined" ? (answer.scope ?? "turn") : "turn");
}

function toResult({ network, read, write }: AdditionalPermissions, scope: PermissionGrantScope): ToolResult {
  const files = {
    ...(read.length === 0 ? {} : { read }),
    ...(write.length === 0 ? {} : { write }),
  };
  const permissions = {
    network: network ? { enabled: true } : null,
    file_system: Object.keys(files).length === 0 ? null : files,
  };
  const data = { permissions, scope };
  return { output: JSON.stringify(data), success: true, value: { kind: "data", data } };
}
