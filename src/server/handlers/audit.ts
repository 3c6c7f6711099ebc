// The audit log.

import type { Awaitable } from "../../base/awaitable.ts";
import { showAuditEntry } from "../../runtime/access/show-audit-entry.ts";
import type { StoredAuditEntry } from "../../store/audit.ts";
import type { Store } from "../../store/store.ts";
import { type Handlers, invalidRequest } from "../connections/handler.ts";
import { isOwn, type OwnThreads } from "../connections/own-threads.ts";

export interface AuditHandlersOptions {
  readonly store: () => Promise<Pick<Store, "audit">>;
}

const PAGE = 25;
const MAX_PAGE = 100;
const MAX_TEXT = 256;

export function createAuditHandlers({ store }: AuditHandlersOptions): Handlers<"audit/list"> {
  return {
    async "audit/list"({ threadId, text, cursor, limit }, { connection: { own } }) {
      if (cursor != null && !/^\d{1,15}$/.test(cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
      if (text != null && text.length > MAX_TEXT)
        throw invalidRequest(`text is too long: it may have ${MAX_TEXT} characters`);
      const size = Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE));
      const found = await (await store()).audit.list({
        threadId: threadId ?? null,
        text: text ?? null,
        before: cursor == null ? null : Number(cursor),
        limit: size + 1,
      });
      const page = found.slice(0, size);
      const shown: StoredAuditEntry[] = [];
      for (const each of page) if (await concerns(each, own)) shown.push(each);
      const last = found.length > page.length ? page.at(-1) : undefined;
      return { data: shown.map(showAuditEntry), nextCursor: last === undefined ? null : String(last.number) };
    },
  };
}

/** A change by a client itself, or of one of its threads. */
function concerns({ subject, threadId }: StoredAuditEntry, own: OwnThreads | null): Awaitable<boolean> {
  return isOwn(own, subject) || (own !== null && threadId !== null && own.has(threadId));
}
