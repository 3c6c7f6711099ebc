/** What was decided, by whom and why; the rules that decide without anybody; and what people have changed. */
import { useMemo } from "preact/hooks";
import type { Decision } from "../../protocol/generated/types.ts";
import { createDecisionPages, filtersOf, MAX_TEXT } from "../state/decisions.ts";
import { useLoaded } from "../state/loaded.ts";
import { pathOf, place, setFilter } from "../state/router.ts";
import { now } from "../state/server.ts";
import { allThreads, titleOfThread } from "../state/threads.ts";
import { useSettledFilters } from "../state/use-settled-filters.ts";
import { capital } from "../text/capital.ts";
import { deciderOf, describeOutcome, detailsOf, whatOf } from "../text/describe-decision.ts";
import { clockTime } from "../text/time.ts";
import { ActButton, ActFailure } from "../ui/act-button.tsx";
import { Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { FilterChoice } from "../ui/filter-choice.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { NoMatch } from "../ui/no-match.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty } from "../ui/states.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { Changes } from "./changes.tsx";
import { Rules } from "./rules.tsx";
import { ThreadLink } from "./thread-link.tsx";

export function Decisions() {
  const section = place.value.query.get("section");
  return (
    <>
      <h1 class="sr">Policy and decisions</h1>
      <div class="head">
        <h2 class="h1 clip">Policy and decisions</h2>
        <span class="grow" />
        <span class="seg" role="group" aria-label="Section">
          {SECTIONS.map(([value, name]) => (
            <button
              key={name}
              type="button"
              aria-pressed={section === value}
              onClick={() => setFilter("section", value)}
            >
              {name}
            </button>
          ))}
        </span>
      </div>
      {section === "rules" ? <Rules /> : section === "changes" ? <Changes /> : <Log />}
    </>
  );
}

const SECTIONS = [
  [null, "Log"],
  ["rules", "Rules"],
  ["changes", "Changes"],
] as const;

const COLUMNS = [
  { name: "Time", isNumber: true },
  { name: "Outcome" },
  { name: "What" },
  { name: "Decided by" },
  { name: "Thread" },
];

function Log() {
  const search = useSettledFilters();
  const log = useMemo(() => createDecisionPages(filtersOf(new URLSearchParams(search))), [search]);
  useLoaded(log, [log]);
  const decisions = log.data.value;
  return (
    <>
      <Filters />
      <div class="scroll" tabIndex={0} role="region" aria-label="Decisions">
        <ActFailure />
        <LoadedState loaded={log} />
        {decisions?.length === 0 && <NoDecisions isFiltered={search !== ""} />}
        {decisions !== null && decisions.length > 0 && (
          <Table label="Decisions" columns={COLUMNS}>
            {decisions.map((decision) => (
              <DecisionLine key={decision.id} decision={decision} />
            ))}
          </Table>
        )}
        {log.hasMore() && (
          <div class="pad">
            <ActButton method="decision/list" done="More decisions are shown" act={() => log.loadMore()}>
              Show more
            </ActButton>
          </div>
        )}
      </div>
    </>
  );
}

function Filters() {
  return (
    <div class="filters wraprow">
      <SearchField
        label="Search decisions"
        placeholder="Command, path, tool or reason"
        maxLength={MAX_TEXT}
      />
      <FilterChoice
        name="outcome"
        label="Outcome"
        all="Any outcome"
        choices={["open", "approved", "denied", "cancelled"].map((each) => [each, capital(each)])}
      />
      <FilterChoice
        name="by"
        label="Decided by"
        all="Decided by anyone"
        choices={[
          ["client", "A person or client"],
          ["rule", "A rule"],
          ["policy", "The policy"],
          ["hook", "A hook"],
          ["sessionGrant", "Allowed before"],
          ["timeOut", "Time-out"],
          ["interruption", "Interruption"],
          ["failure", "Failure"],
        ]}
      />
      <FilterChoice
        name="kind"
        label="Kind"
        all="Any kind"
        choices={[
          ["command", "Commands"],
          ["fileChange", "Changes of files"],
          ["mcpTool", "MCP tools"],
          ["permissions", "Permissions"],
        ]}
      />
      <FilterChoice
        name="thread"
        label="Thread"
        all="All threads"
        choices={allThreads.value.map((row) => [row.id, titleOfThread(row).slice(0, 60)])}
      />
    </div>
  );
}

function NoDecisions({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <NoMatch title="No decision matches" all={pathOf("decisions")} />;
  return (
    <Empty icon="shield" title="Nothing was decided yet">
      <p>Each command, change of files and tool call that was allowed or refused appears here.</p>
    </Empty>
  );
}

function DecisionLine({ decision }: { decision: Decision }) {
  const { id, threadId, itemId, cwd, requestedAt, verdict } = decision;
  const what = whatOf(decision);
  return (
    <tr>
      <td data-label="Time" class="num nw">
        {clockTime(requestedAt, now.value)}
      </td>
      <td data-label="Outcome">
        {verdict === null ? (
          <a href={pathOf("inbox", id)}>
            <Chip {...describeOutcome(decision)} />
          </a>
        ) : (
          <Chip {...describeOutcome(decision)} />
        )}
      </td>
      <td data-label="What" class="what">
        <span class={`wraps lines6 ${what.isCode ? "mono" : ""}`} dir={what.isCode ? "ltr" : "auto"}>
          <VisibleText text={what.text} />
        </span>
        {cwd !== null && (
          <span class="sub" dir="ltr">
            {cwd}
          </span>
        )}
      </td>
      <td data-label="Decided by">
        <span class="wraps">
          <VisibleText text={deciderOf(decision)} />
        </span>
        {detailsOf(decision).map((detail) => (
          <span key={detail} class="sub wraps lines3">
            <VisibleText text={detail} />
          </span>
        ))}
      </td>
      <td data-label="Thread">
        <ThreadLink threadId={threadId} item={itemId} />
      </td>
    </tr>
  );
}
