// Sums over all threads: tokens that were spent, and runs of hooks.

import { readPrices } from "../../runtime/activity/cost.ts";
import { summarizeHooks } from "../../runtime/activity/hook-stats.ts";
import { summarizeUsage } from "../../runtime/activity/summarize-usage.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { HookRunQuery } from "../../store/activity.ts";
import type { Store } from "../../store/store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";

export interface ActivityHandlersOptions {
  readonly store: () => Promise<Pick<Store, "activity">>;
  readonly config: ConfigSource;
}

/** How long a request counts before it answers; later ones continue. */
const CATCH_UP_MS = 250;
const PAGE = 25;
const MAX_PAGE = 100;

export function createActivityHandlers({
  store,
  config,
}: ActivityHandlersOptions): Handlers<"usage/summary" | "hook/run/list"> {
  return {
    async "usage/summary"({ from, to, groupBy, timeZone }, { connection }) {
      const { activity } = await store();
      const { pending } = await activity.catchUp(CATCH_UP_MS);
      const query = {
        from,
        to,
        timeZone: timeZone ?? "UTC",
        groupBy: new Set(groupBy ?? (["day"] as const)),
        owner: ownerOf(connection),
      };
      const summary = unwrap(await summarizeUsage(activity, query, await readPrices(config)));
      return { ...summary, pending };
    },

    async "hook/run/list"({ cursor, limit, ...filter }, { connection }) {
      const owner = ownerOf(connection);
      const before = cursor == null ? null : parseCursor(cursor);
      const { activity } = await store();
      const { pending } = await activity.catchUp(CATCH_UP_MS);
      const size = Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE));
      const found = await activity.hookRuns({ ...filter, owner, before, limit: size + 1 });
      const page = found.slice(0, size);
      const last = found.length > size ? page.at(-1) : undefined;
      return {
        data: page.map(({ threadId, turnId, run }) => ({ threadId, turnId, run })),
        nextCursor: last === undefined ? null : `${last.run.startedAt}.${last.number}`,
        stats: before === null ? summarizeHooks(await activity.hookTimings(owner)) : [],
        pending,
      };
    },
  };
}

/** Null for a client that may see the threads of all. */
function ownerOf({ own }: ClientConnection): string | null {
  return own === null ? null : (own.subject ?? NOBODY);
}

/** No token has it as its subject. */
const NOBODY = "";

function parseCursor(cursor: string): NonNullable<HookRunQuery["before"]> {
  const [, startedAt, number] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (startedAt === undefined || number === undefined)
    throw invalidRequest(`invalid cursor: ${cursor.slice(0, 64)}`);
  return { startedAt: Number(startedAt), number: Number(number) };
}
