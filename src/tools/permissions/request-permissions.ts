/** The tool with which a model asks for more than its sandbox allows, before it needs it. */
import { resolve } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type {
  GrantedPermissionProfile,
  PermissionGrantScope,
  RequestPermissionProfile,
} from "../../protocol/generated/types.ts";
import type { LeaveRecord } from "../../store/decisions/decision-log.ts";
import { decodeArguments, flag, list, maybe, struct, text } from "../arguments/decode-arguments.ts";
import { recordUnanswered } from "../failed-leave.ts";
import type { Tool, ToolCall, ToolContext, ToolResult } from "../tool.ts";
import type { PermissionGrants } from "./permission-grants.ts";
import { permissionWords, type WantedPermissions } from "./permission-words.ts";

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
      reason: { type: "string", description: "What it is needed for, in a few words." },
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

export interface RequestPermissionsPorts {
  readonly grants: PermissionGrants;
  /** Whether the approval policy lets anybody be asked. */
  readonly mayAsk: boolean;
  readonly now: () => number;
}

export function createRequestPermissions(ports: RequestPermissionsPorts): Tool {
  return {
    name: SPEC.name,
    spec: SPEC,
    parallel: false,
    run: (call, context) => requestPermissions(call, context, ports),
  };
}

const NOTHING: WantedPermissions = { network: false, read: [], write: [] };
const SCOPES = { turn: "for the turn", session: "for the session" } as const;

async function requestPermissions(
  { callId, input }: ToolCall,
  context: ToolContext,
  ports: RequestPermissionsPorts,
): Promise<ToolResult> {
  const decoded = decodeArguments(input, ARGUMENTS);
  if (decoded.kind === "wrong") return { output: decoded.message, success: false };
  const { reason, permissions } = decoded.value;
  const absolute = (paths: readonly string[] | null | undefined) =>
    (paths ?? []).map((path) => resolve(context.cwd, path));
  const wanted: WantedPermissions = {
    network: permissions.network?.enabled ?? false,
    read: absolute(permissions.file_system?.read),
    write: absolute(permissions.file_system?.write),
  };
  if (!wanted.network && wanted.read.length + wanted.write.length === 0) {
    return { output: "request_permissions requires at least one permission", success: false };
  }
  const record = context.recordLeave({ itemId: callId, subject: { kind: "permissions", ...wanted } });
  try {
    return await askFor({ callId, wanted, reason, record }, context, ports);
  } catch (error) {
    // Leave that cannot be recorded is none.
    await record.fail(messageOf(error));
    return tell(NOTHING, "turn");
  }
}

interface Request {
  readonly callId: string;
  readonly wanted: WantedPermissions;
  readonly reason: string | null;
  readonly record: LeaveRecord;
}

async function askFor(
  { callId, wanted, reason, record }: Request,
  context: ToolContext,
  { grants, mayAsk, now }: RequestPermissionsPorts,
): Promise<ToolResult> {
  if (!mayAsk) {
    await record.decide("denied", { kind: "policy" }, "nobody may be asked");
    return tell(NOTHING, "turn");
  }
  await record.ask();
  const answer = await context.ask("item/permissions/requestApproval", {
    threadId: context.threadId,
    turnId: context.turnId,
    itemId: callId,
    environmentId: "local",
    startedAtMs: now(),
    cwd: context.cwd,
    reason,
    permissions: toProfile(wanted),
  });
  if (answer.kind !== "answered") {
    await recordUnanswered(answer, record);
    return tell(NOTHING, "turn");
  }
  const { scope = "turn" } = answer.result;
  const granted = within(wanted, answer.result.permissions);
  const by = { kind: "client", name: answer.from ?? null } as const;
  const words = permissionWords(granted);
  if (words === "") await record.decide("denied", by, "rejected by user");
  else await record.decide("approved", by, `${SCOPES[scope]}: ${words}`);
  grants.grant(context.turnId, scope, { writableRoots: granted.write, network: granted.network });
  return tell(granted, scope);
}

function toProfile({ network, read, write }: WantedPermissions): RequestPermissionProfile {
  const entry = (access: "read" | "write") => (path: string) => ({
    path: { type: "path" as const, path },
    access,
  });
  const hasFiles = read.length + write.length > 0;
  return {
    network: network ? { enabled: true } : null,
    fileSystem: hasFiles
      ? {
          read: read.length === 0 ? null : [...read],
          write: write.length === 0 ? null : [...write],
          entries: [...read.map(entry("read")), ...write.map(entry("write"))],
        }
      : null,
  };
}

/** What was not asked for cannot be granted. */
function within(
  wanted: WantedPermissions,
  { network, fileSystem }: GrantedPermissionProfile,
): WantedPermissions {
  const common = (asked: readonly string[], given: readonly string[] | null | undefined) =>
    asked.filter((path) => given?.includes(path) === true);
  return {
    network: wanted.network && network?.enabled === true,
    read: common(wanted.read, fileSystem?.read),
    write: common(wanted.write, fileSystem?.write),
  };
}

function tell({ network, read, write }: WantedPermissions, scope: PermissionGrantScope): ToolResult {
  const files = {
    ...(read.length === 0 ? {} : { read }),
    ...(write.length === 0 ? {} : { write }),
  };
  const permissions = {
    network: network ? { enabled: true } : null,
    file_system: Object.keys(files).length === 0 ? null : files,
  };
  return { output: JSON.stringify({ permissions, scope }), success: true };
}
