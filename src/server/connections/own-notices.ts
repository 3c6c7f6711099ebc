/** Notifications for clients that may use their own threads only. */
import type { Awaitable } from "../../base/awaitable.ts";
import { textMember } from "../../base/json-members.ts";
import { isObject } from "../../base/json-object.ts";
import { isOwn, type OwnThreads } from "./own-threads.ts";

/** A notification about a thread is for its owner, one about a schedule for its owner, and any other one for everybody. */
export function mayReceive(own: OwnThreads, params: object): Awaitable<boolean> {
  const threadId = threadOf(params);
  if (threadId !== null) return own.has(threadId);
  const { schedule } = params as { readonly schedule?: unknown };
  return !isObject(schedule) || isOwn(own, textMember(schedule, "owner"));
}

/** The thread that a notification names itself, or in one of its objects, as in `approval.threadId` and `thread.id`. */
export function threadOf(params: object): string | null {
  for (const each of [params, ...Object.values(params)])
    if (isObject(each) && typeof each["threadId"] === "string" && each["threadId"] !== "")
      return each["threadId"];
  const { thread } = params as { readonly thread?: unknown };
  return isObject(thread) && typeof thread["id"] === "string" ? thread["id"] : null;
}
