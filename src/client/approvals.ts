/** Reduces all approval requests to one callback with one answer. */
import type {
  CommandExecutionRequestApprovalParams,
  FileChangeRequestApprovalParams,
  FileUpdateChange,
  PermissionsRequestApprovalParams,
  PermissionsRequestApprovalResponse,
} from "../protocol/generated/types.ts";

/** Looks up the file changes of the item that a request refers to. */
export type ChangesOf = (item: {
  readonly threadId: string;
  readonly itemId: string;
}) => Promise<readonly FileUpdateChange[]>;

/** The action to be decided. */
export type ApprovalRequest =
  | ({ readonly type: "command" } & CommandExecutionRequestApprovalParams)
  | ({ readonly type: "fileChange" } & FileChangeRequestApprovalParams & PatchDescription)
  | ({ readonly type: "permissions" } & PermissionsRequestApprovalParams);

/** The changes of a patch. */
export interface PatchDescription {
  /** The changed files, each with its diff. */
  readonly changes: readonly FileUpdateChange[];
  /** Their paths, including move targets. */
  readonly paths: readonly string[];
  /** All diffs as one text. */
  readonly diff: string;
}

/** `decline` lets the turn continue without the action, `cancel` ends the turn. */
export type ApprovalDecision = "accept" | "acceptForSession" | "decline" | "cancel";

export type Approve = (request: ApprovalRequest) => ApprovalDecision | Promise<ApprovalDecision>;

type Handler = (params: unknown) => Promise<unknown>;

/** Handlers that answer the server's approval requests through a callback. */
export function approvalHandlers(approve: Approve, changesOf: ChangesOf): ReadonlyMap<string, Handler> {
  const decide = async (request: ApprovalRequest) => ({ decision: await approve(request) });
  return new Map<string, Handler>([
    [
      "item/commandExecution/requestApproval",
      (params) => decide({ type: "command", ...(params as CommandExecutionRequestApprovalParams) }),
    ],
    [
      "item/fileChange/requestApproval",
      async (params) => {
        const asked = params as FileChangeRequestApprovalParams;
        return decide({ type: "fileChange", ...asked, ...describePatch(await changesOf(asked)) });
      },
    ],
    [
      "item/permissions/requestApproval",
      async (params) => {
        const asked = params as PermissionsRequestApprovalParams;
        return toGrant(asked, await approve({ type: "permissions", ...asked }));
      },
    ],
  ]);
}

function describePatch(changes: readonly FileUpdateChange[]): PatchDescription {
  const paths = changes.flatMap(({ path, kind }) =>
    kind.type === "update" && kind.move_path !== null ? [path, kind.move_path] : [path],
  );
  return { changes, paths, diff: changes.map(({ diff }) => diff).join("\n") };
}

export const isApproval = (method: string): boolean => method.endsWith("/requestApproval");

/** Grants everything that was requested, or nothing. */
function toGrant(
  { permissions }: PermissionsRequestApprovalParams,
  decision: ApprovalDecision,
): PermissionsRequestApprovalResponse {
  const isGranted = decision === "accept" || decision === "acceptForSession";
  if (!isGranted) return { permissions: {}, scope: "turn" };
  return { permissions, scope: decision === "accept" ? "turn" : "session" };
}
