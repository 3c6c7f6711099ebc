/**
 * An event of the first protocol generation: a tagged object with snake_case members. Also the names of its
 * messages.
 */
import type { JsonObject } from "../../base/json-object.ts";
import { toSnake } from "../../base/letter-case.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";

export type NotificationMethod = keyof ServerNotifications;

export interface LegacyEvent extends JsonObject {
  readonly type: string;
}

/** Converts the names of the members to snake_case; values are left unchanged. */
export function snakeMembers(object: object): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [toSnake(key), value as unknown]));
}

export const APPLY_PATCH_APPROVAL = "applyPatchApproval";
export const EXEC_COMMAND_APPROVAL = "execCommandApproval";

/** The method of an event is this prefix and its type. */
export const EVENT_PREFIX = "codex/event/";
