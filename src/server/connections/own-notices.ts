/** Notifications for clients that may use their own threads only. */
import { textMember } from "../../base/json-members.ts";
import { isObject } from "../../base/json-object.ts";
import { isOwn, type OwnThreads } from "./own-threads.ts";

/**
 * A notification about a thread or a schedule is for its owner, and any other one for all clients. While the owner is being
 * read the answer is false, and `retry` is called once it is known to be this one.
 */
export function mayReceive(own: OwnThreads, params: object, retry: () => void): boolean {
  const threadId = threadOf(params);
  if (threadId !== null) {
    const has = own.has(threadId);
    if (!(has instanceof Promise)) return has;
    void has.then((isOwner) => (isOwner ? retry() : undefined));
    return false;
  }
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
