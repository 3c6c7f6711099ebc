import { isLegacyDuplicate } from "../rollout/legacy-items.ts";
import type { LineBody, LocatedLine } from "../rollout/line.ts";
import { readLineage } from "../rollout/lineage.ts";
import { objectOf, textOf } from "../rollout/members.ts";
import type { FaultList } from "./fault-list.ts";
import type { Span } from "./spans.ts";

/** What a thread says, without its first line, for another file that begins with it. */
export async function copyLines(spans: readonly Span[], faults: FaultList): Promise<LineBody[]> {
  const segments = spans.map(({ row, toOffset }) => ({ path: row.path, to: toOffset }));
  const bodies: LineBody[] = [];
  for await (const { line } of readLineage(segments, { onFault: (fault) => faults.line(fault) })) {
    const { timestamp: _timestamp, ordinal: _ordinal, ...body } = line;
    if (line.type !== "session_meta" && !isToldTwice(line)) bodies.push(body as unknown as LineBody);
  }
  return bodies;
}

/** Some old files have their messages as items as well. */
function isToldTwice({ type, payload }: LocatedLine["line"]): boolean {
  if (type !== "event_msg" || textOf(payload, "type") !== "item_completed") return false;
  return isLegacyDuplicate(objectOf(payload, "item") ?? {});
}
