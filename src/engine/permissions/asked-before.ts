/** Questions that outlive the process: how they are kept, and whether this process would ask the same one. */
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../base/json-object.ts";
import { canKeepQuestion, type KeptQuestion, type OpenQuestion } from "../../store/decisions.ts";
import type { PermissionSubject } from "../../tools/permission.ts";
import type { PermissionQuestion, SubjectKind } from "./permission-kind.ts";

/** Why an approval of an earlier question does not count. */
export const CHANGED_SINCE = "what would run is not what was asked about";

/** Members of the params that depend on the time or on the rules, and not on what runs. */
const VOLATILE: ReadonlySet<string> = new Set([
  "startedAtMs",
  "reason",
  "proposedExecpolicyAmendment",
  "availableDecisions",
]);

/** The question as it is kept. */
export function toKeptQuestion<S extends PermissionSubject>(
  kind: SubjectKind<S>,
  subject: S,
  { method, params }: PermissionQuestion<S>,
): KeptQuestion {
  const { subject: recorded } = kind.toDecisionRequest(subject);
  const question = { method, subject: recorded, params: params() as unknown as JsonObject };
  if (subject.kind !== "fileChange") return question;
  const whole = { ...question, changes: subject.item.changes };
  return canKeepQuestion(whole) ? whole : question;
}

/** Whether an approval of the earlier question allows exactly what this one asks about. */
export function isSameQuestion({ question: before }: OpenQuestion, now: KeptQuestion | null): boolean {
  return (
    before !== null &&
    now !== null &&
    before.method === now.method &&
    isDeepStrictEqual(plain(before.subject), plain(now.subject)) &&
    isDeepStrictEqual(lasting(before.params), lasting(now.params))
  );
}

function lasting(params: JsonObject): unknown {
  return plain(Object.fromEntries(Object.entries(params).filter(([key]) => !VOLATILE.has(key))));
}

/** As it is stored: JSON drops members that are undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
