/** Members of the first line that only rollout files have. */
import { countMember, nameMember, objectMember } from "../../../base/json-members.ts";
import type { JsonObject } from "../../../base/json-object.ts";
import type { LineBody, SessionMeta } from "../../lines/line.ts";
import { type DatedOrigin, sessionMeta } from "../../lines/thread-lines.ts";

/** The part of another file that a file is based on. */
export interface HistoryBase {
  /** The id of the rollout file that contains the prefix; the thread id for a file that no revert created. */
  readonly thread_id: string;
  readonly end_ordinal_exclusive: number;
  readonly end_byte_offset: number;
}

export interface FileOrigin extends DatedOrigin {
  /** Set for forks and reverts. */
  readonly historyBase?: HistoryBase | null;
  /** Legacy files have no ordinals. */
  readonly historyMode?: "paginated" | "legacy";
}

/** The first line of a rollout file. */
export function fileMeta({ historyBase, historyMode, ...origin }: FileOrigin): LineBody {
  const forkedFromSeq = historyBase?.end_ordinal_exclusive ?? null;
  const { type, payload } = sessionMeta({ ...origin, forkedFromSeq });
  return {
    type,
    payload: {
      ...payload,
      ...(historyMode === "legacy" ? { history_mode: historyMode } : {}),
      ...(historyBase == null ? {} : { history_base: historyBase }),
    } as SessionMeta,
  } as LineBody;
}

/** Null for a file that is not based on another one. */
export function readHistoryBase(meta: JsonObject): HistoryBase | null {
  const base = objectMember(meta, "history_base");
  if (base === null) return null;
  return {
    thread_id: nameMember(base, "thread_id") ?? "",
    end_ordinal_exclusive: countMember(base, "end_ordinal_exclusive"),
    end_byte_offset: countMember(base, "end_byte_offset"),
  };
}
