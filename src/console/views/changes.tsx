/** The audit log: who changed hooks, queues, schedules, devices and the configuration. */
import { useMemo } from "preact/hooks";
import type { AuditEntry } from "../../protocol/generated/types.ts";
import { createChanges } from "../state/changes.ts";
import { MAX_TEXT } from "../state/decisions.ts";
import { useLoaded } from "../state/loaded.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { useSettledFilters } from "../state/use-settled-filters.ts";
import { describeChange, personOf } from "../text/describe-change.ts";
import { clockTime } from "../text/time.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Table } from "../ui/card.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { NoMatch } from "../ui/no-match.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty } from "../ui/states.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { ThreadLink } from "./thread-link.tsx";

const COLUMNS = [{ name: "Time", isNumber: true }, { name: "Who" }, { name: "What" }, { name: "Thread" }];

export function Changes() {
  const text = new URLSearchParams(useSettledFilters()).get("q")?.trim().slice(0, MAX_TEXT) ?? "";
  const log = useMemo(() => createChanges(text === "" ? {} : { text }), [text]);
  useLoaded(log, [log]);
  const entries = log.data.value;
  return (
    <>
      <div class="filters">
        <SearchField label="Search changes" placeholder="Method, hook or id" maxLength={MAX_TEXT} />
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Changes">
        <LoadedState loaded={log} />
        {entries?.length === 0 &&
          (text === "" ? (
            <NoChanges />
          ) : (
            <NoMatch title="No change matches" all={`${pathOf("decisions")}?section=changes`} />
          ))}
        {entries !== null && entries.length > 0 && (
          <Table label="Changes" columns={COLUMNS}>
            {entries.map((entry) => (
              <ChangeLine key={entry.id} entry={entry} />
            ))}
          </Table>
        )}
        {log.hasMore() && (
          <div class="pad">
            <ActButton method="audit/list" done="More changes are shown" act={() => log.loadMore()}>
              Show more
            </ActButton>
          </div>
        )}
      </div>
    </>
  );
}

function NoChanges() {
  return (
    <Empty icon="list" title="Nothing was changed by a person with a token">
      <p>
        Who trusts a hook, changes a queue, a schedule or the configuration, or archives a thread appears
        here, where clients connect with a token.
      </p>
    </Empty>
  );
}

function ChangeLine({ entry }: { entry: AuditEntry }) {
  const { at, threadId, detail, clientName } = entry;
  return (
    <tr>
      <td data-label="Time" class="num nw">
        {clockTime(at, now.value)}
      </td>
      <td data-label="Who">
        <bdi class="wraps">{personOf(entry)}</bdi>
        {clientName !== null && <span class="sub">{clientName}</span>}
      </td>
      <td data-label="What" class="what">
        <span class="wraps">{describeChange(entry)}</span>
        {detail !== null && (
          <span class="sub mono wraps lines3" dir="ltr">
            <VisibleText text={detail} />
          </span>
        )}
      </td>
      <td data-label="Thread">
        {threadId === null ? <span class="dimmer">–</span> : <ThreadLink threadId={threadId} />}
      </td>
    </tr>
  );
}
