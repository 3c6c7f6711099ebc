/** Requests of a client that may use its own threads only: one that names another thread is refused as if there were none. */
import { isObject } from "../../base/json-object.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { UntypedHandler } from "./admit.ts";
import { invalidRequest, unwrap } from "./handler.ts";
import type { OwnThreads } from "./own-threads.ts";

/** Members of params that name threads. */
export const THREAD_MEMBERS: ReadonlySet<string> = new Set([
  "threadId",
  "conversationId",
  "parentThreadId",
  "ancestorThreadId",
  "attachedToThreadId",
]);

/** Params name threads themselves, or in one of their objects, as in `target.threadId`. */
const MAX_DEPTH = 1;

/** Methods that create something that belongs to the subject. */
const NEEDS_SUBJECT: ReadonlySet<string> = new Set(["thread/start", "schedule/create"]);

export function withinOwnThreads(method: string, handle: UntypedHandler, own: OwnThreads): UntypedHandler {
  return (params, context) => {
    if (own.subject === null && NEEDS_SUBJECT.has(method)) throw invalidRequest(NO_SUBJECT);
    const threadIds = namedThreads(params);
    return threadIds.length === 0 ? handle(params, context) : handleOwn(threadIds);

    async function handleOwn(wanted: readonly string[]): Promise<unknown> {
      for (const threadId of wanted)
        if (!(await own.has(threadId))) throw invalidRequest(`thread not found: ${threadId}`);
      return handle(params, context);
    }
  };
}

const NO_SUBJECT =
  'access.threads is "own" here, and this token names nobody: use one with a subject, such as `heddle pair --subject NAME`';

function namedThreads(params: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH || !isObject(params)) return [];
  return Object.entries(params).flatMap(([name, value]) =>
    THREAD_MEMBERS.has(name) && typeof value === "string"
      ? [unwrap(parseThreadId(value))]
      : namedThreads(value, depth + 1),
  );
}
