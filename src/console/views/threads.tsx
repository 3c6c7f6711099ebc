/** The list of threads by folder, and the thread that is open. */
import { openOf } from "../state/inbox.ts";
import { pathOf, place } from "../state/router.ts";
import { now } from "../state/server.ts";
import {
  allThreads,
  areThreadsLoaded,
  hasMore,
  loadMore,
  recencyOf,
  type ThreadRow,
  threadsFailure,
  titleOfThread,
} from "../state/threads.ts";
import { ageOf } from "../text/time.ts";
import { ActButton, ActFailure } from "../ui/act-button.tsx";
import { FilterChoice } from "../ui/filter-choice.tsx";
import { labelOf } from "../ui/key-table.ts";
import { NoMatch } from "../ui/no-match.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Empty, Failure, Loading } from "../ui/states.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { NewThread } from "./new-thread.tsx";
import { ThreadPane } from "./thread.tsx";
import { describeState, StateIcon } from "./thread-state.tsx";
import { useListKeys } from "./use-list-keys.ts";

const STATES = {
  waiting: "Waits for you",
  running: "Running",
  limited: "Waits for a limit",
  failed: "Failed",
  unread: "Unread",
} as const;
type StateFilter = keyof typeof STATES;

export function Threads() {
  const { id } = place.value;
  const shown = useShown();
  useListKeys(
    "threads",
    shown.map((row) => row.id),
    { keepsEscape: true },
  );
  return (
    <>
      <h1 class="sr">Threads</h1>
      <div class="panes three" data-open={id === null ? "list" : "detail"}>
        <div class="pane list-pane">
          <div class="head">
            <h2 class="h1">Threads</h2>
            <span class="grow" />
            <NewThread />
          </div>
          <Filters />
          <div class="scroll" tabIndex={0} role="region" aria-label="Threads">
            {threadsFailure.value !== null && <Failure message={threadsFailure.value} />}
            {id === null && <ActFailure />}
            {!areThreadsLoaded.value && <Loading />}
            {areThreadsLoaded.value && shown.length === 0 && <NoThreads />}
            {byFolder(shown).map(([folder, rows]) => (
              <section key={folder}>
                <h3 class="grouph">
                  <bdi class="clip">{folder}</bdi> <span class="dimmer">{rows[0]?.gitInfo?.branch}</span>
                </h3>
                <ul class="list">
                  {rows.map((row) => (
                    <li key={row.id}>
                      <ThreadItem row={row} isCurrent={row.id === id} />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
            {hasMore.value && <More />}
          </div>
        </div>
        {id === null ? (
          <div class="pane detail-pane">
            <Empty icon="thread" title="No thread is open">
              <p>Choose one on the left, or start a new one.</p>
            </Empty>
          </div>
        ) : (
          <ThreadPane key={id} threadId={id} />
        )}
      </div>
    </>
  );
}

function useShown(): readonly ThreadRow[] {
  const { query } = place.value;
  const [text, state] = [query.get("q")?.toLowerCase() ?? "", query.get("state")];
  return allThreads.value.filter(
    (row) =>
      (text === "" || `${titleOfThread(row)} ${row.cwd} ${row.preview}`.toLowerCase().includes(text)) &&
      (state === null || statesOf(row).some((each) => each === state)),
  );
}

function statesOf(row: ThreadRow): readonly StateFilter[] {
  return [
    ...(openOf(row.id).length > 0 ? (["waiting"] as const) : []),
    ...(row.status.type === "active" ? (["running"] as const) : []),
    ...(row.waiting?.reason === "usageLimit" ? (["limited"] as const) : []),
    ...(row.lastTurnStatus === "failed" ? (["failed"] as const) : []),
    ...(row.unread === true ? (["unread"] as const) : []),
  ];
}

/** The folder of the latest thread comes first. */
function byFolder(rows: readonly ThreadRow[]): readonly (readonly [string, readonly ThreadRow[]])[] {
  const folders = new Map<string, ThreadRow[]>();
  for (const row of rows) folders.set(row.cwd, [...(folders.get(row.cwd) ?? []), row]);
  return [...folders];
}

function Filters() {
  return (
    <div class="filters">
      <SearchField label="Search threads" placeholder={`Search  ${labelOf("search")}`} />
      <FilterChoice name="state" label="State" all="All states" choices={Object.entries(STATES)} />
    </div>
  );
}

function ThreadItem({ row, isCurrent }: { row: ThreadRow; isCurrent: boolean }) {
  const state = describeState(row, now.value);
  return (
    <a
      class={`item ${row.unread === true ? "unread" : ""}`}
      href={pathOf("threads", row.id) + location.search}
      aria-current={isCurrent ? "true" : undefined}
    >
      <StateIcon state={state} />
      <span class="t">
        <bdi>{titleOfThread(row)}</bdi>
      </span>
      <span class="age">
        {row.unread === true && <span class="sr">unread, </span>}
        {ageOf(recencyOf(row), now.value)}
      </span>
      <span class="m">
        <VisibleText text={state.words} />
      </span>
    </a>
  );
}

function More() {
  return (
    <div class="pad">
      <ActButton method="thread/list" done="More threads are shown" act={loadMore}>
        Show more
      </ActButton>
    </div>
  );
}

function NoThreads() {
  const { query } = place.value;
  if (query.get("q") === null && query.get("state") === null)
    return (
      <Empty icon="thread" title="There are no threads yet">
        <p>A thread is a conversation in a folder. Start one here, or with any client.</p>
      </Empty>
    );
  return <NoMatch title="No thread matches" all={pathOf("threads")} />;
}
