// The log of decisions, and the rules about commands.

import { resolve } from "node:path";
import type { Logger } from "../../base/logger.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { findDecisions, MAX_SEARCH_TEXT } from "../../runtime/questions/find-decisions.ts";
import { toDecision } from "../../runtime/questions/show-question.ts";
import { listRules } from "../../runtime/setup/list-rules.ts";
import type { Store } from "../../store/store.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import { pageOf } from "./paging.ts";

export interface DecisionHandlersOptions {
  readonly store: () => Promise<Pick<Store, "decisions">>;
  readonly config: ConfigSource;
  /** The default folder of a request; relative folders start from it. */
  readonly cwd: string;
  readonly log: Logger;
}

const PAGE = 25;
const MAX_PAGE = 100;
const RULES_PAGE = 1000;

export function createDecisionHandlers({
  store,
  config,
  cwd: start,
  log,
}: DecisionHandlersOptions): Handlers<"decision/list" | "rule/list"> {
  return {
    async "decision/list"({ cursor, limit, text, ...filter }, { connection }) {
      if (cursor != null && !/^\d{1,15}$/.test(cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
      if (text != null && text.length > MAX_SEARCH_TEXT)
        throw invalidRequest(`text is too long: it may have ${MAX_SEARCH_TEXT} characters`);
      const { decisions } = await store();
      const { data, hasMore } = await findDecisions(decisions.list, {
        ...filter,
        text: text ?? null,
        mayRead: connection.own?.has ?? null,
        before: cursor == null ? null : Number(cursor),
        limit: Math.min(MAX_PAGE, Math.max(1, limit ?? PAGE)),
      });
      const last = data.at(-1);
      return {
        data: data.map(toDecision),
        nextCursor: hasMore && last !== undefined ? String(last.number) : null,
      };
    },

    async "rule/list"({ cwd, cursor, limit }) {
      const found = unwrap(await listRules(resolve(start, cwd ?? "."), { config, host: { log } }));
      const page = { cursor: cursor ?? null, limit: Math.min(RULES_PAGE, limit ?? RULES_PAGE) };
      return { ...pageOf(found.rules, page, "rules"), faults: [...found.faults] };
    },
  };
}
