/** An event of the first generation, a tagged object whose members are written in snake_case; and the names of its messages. */
import type { JsonObject } from "../../base/json-object.ts";
import { toSnake } from "../../base/letter-case.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";

export type NotificationMethod = keyof ServerNotifications;

export interface LegacyEvent extends JsonObject {
  readonly type: string;
}

/** The same members under the names that the first generation writes; what is inside of them stays as it is. */
export function snakeMembers(object: object): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [toSnake(key), value as unknown]));
}

export const APPLY_PATCH_APPROVAL = "applyPatchApproval";
export const EXEC_COMMAND_APPROVAL = "execCommandApproval";

/** Every event is a notification of its own, named by this and its type. */
export const EVENT_PREFIX = "codex/event/";
