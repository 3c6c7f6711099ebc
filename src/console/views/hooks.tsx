/** The hooks that apply in a folder: whether they run, how often they did, and how long it took. */
import { useMemo } from "preact/hooks";
import type { HookMetadata } from "../../protocol/generated/types.ts";
import { createFolderHooks, type FolderHooks, statsOf } from "../state/hooks.ts";
import { type Loaded, useLoaded } from "../state/loaded.ts";
import { pathOf, place } from "../state/router.ts";
import { describeTrust, eventTitle, nameOf, needsLook } from "../text/describe-hook.ts";
import { countText, durationText } from "../text/time.ts";
import { Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { FilterChoice } from "../ui/filter-choice.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { NoMatch } from "../ui/no-match.tsx";
import { Note } from "../ui/note.tsx";
import { Empty } from "../ui/states.tsx";
import { FolderFilter } from "./folder-filter.tsx";
import { HookPane } from "./hook-pane.tsx";
import { useListKeys } from "./use-list-keys.ts";

const COLUMNS = [
  { name: "Hook" },
  { name: "Event" },
  { name: "Trust" },
  { name: "Runs", isNumber: true },
  { name: "Blocked", isNumber: true },
  { name: "p95", isNumber: true },
];

export function Hooks() {
  const { id, query } = place.value;
  const cwd = query.get("folder");
  const loaded = useMemo(() => createFolderHooks(cwd), [cwd]);
  useLoaded(loaded, [loaded]);
  return (
    <>
      <h1 class="sr">Hooks</h1>
      <div class="panes two hooksview" data-open={id === null ? "list" : "detail"}>
        <HookList loaded={loaded} selectedKey={id} />
        <div class="pane detail-pane">
          <Detail loaded={loaded} selectedKey={id} />
        </div>
      </div>
    </>
  );
}

interface PaneProps {
  readonly loaded: Loaded<FolderHooks>;
  readonly selectedKey: string | null;
}

function HookList({ loaded, selectedKey }: PaneProps) {
  const found = loaded.data.value;
  return (
    <div class="pane list-pane">
      <div class="head">
        <h2 class="h1">Hooks</h2>
        {found !== null && <span class="sub desk">{summary(found)}</span>}
      </div>
      <Filters hooks={found?.hooks ?? []} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Hooks">
        <LoadedState loaded={loaded} />
        {found !== null && <Problems found={found} />}
        {found !== null && <HookTable found={found} selectedKey={selectedKey} />}
      </div>
    </div>
  );
}

function HookTable({ found, selectedKey }: { found: FolderHooks; selectedKey: string | null }) {
  const shown = found.hooks.filter(matchesFilters);
  useListKeys(
    "hooks",
    shown.map(({ key }) => key),
  );
  if (shown.length === 0) return <NoHooks isFiltered={found.hooks.length > 0} />;
  return (
    <Table label="Hooks" columns={COLUMNS}>
      {shown.map((hook) => (
        <HookLine key={hook.key} {...{ hook, found }} isSelected={hook.key === selectedKey} />
      ))}
    </Table>
  );
}

function Detail({ loaded, selectedKey }: PaneProps) {
  const found = loaded.data.value;
  const selected = found?.hooks.find(({ key }) => key === selectedKey);
  if (found !== null && selected !== undefined)
    return (
      <HookPane
        key={selected.key}
        hook={selected}
        cwd={found.cwd}
        stats={statsOf(found.stats, selected)}
        onChanged={() => loaded.reload()}
      />
    );
  if (selectedKey === null || found === null)
    return (
      <Empty icon="hook" title="No hook is selected">
        <p>Choose one to see what it runs, whether it is trusted, and what it did.</p>
      </Empty>
    );
  return (
    <Empty icon="hook" title="This hook does not apply here">
      <a class="btn back" href={pathOf("hooks") + location.search}>
        Back to the hooks
      </a>
    </Empty>
  );
}

function matchesFilters(hook: HookMetadata): boolean {
  const { query } = place.value;
  const [event, trust] = [query.get("event"), query.get("trust")];
  return (
    (event === null || hook.eventName === event) &&
    (trust === null ||
      (trust === "needed" && needsLook(hook)) ||
      (trust === "off" && !hook.enabled) ||
      (trust === "runs" && hook.enabled && !needsLook(hook)))
  );
}

function Filters({ hooks }: { hooks: readonly HookMetadata[] }) {
  const events = [...new Set(hooks.map(({ eventName }) => eventName))];
  return (
    <div class="filters">
      <FolderFilter />
      <FilterChoice
        name="event"
        label="Event"
        all="All events"
        choices={events.map((event) => [event, eventTitle(event)])}
      />
      <FilterChoice
        name="trust"
        label="Trust"
        all="Any trust"
        choices={[
          ["needed", "Needs trust"],
          ["runs", "Runs"],
          ["off", "Switched off"],
        ]}
      />
    </div>
  );
}

function summary({ hooks, cwd, pending }: FolderHooks): string {
  const lacking = hooks.filter(needsLook).length;
  const needs = lacking === 0 ? "" : ` · ${lacking} ${lacking === 1 ? "needs" : "need"} trust`;
  return `${hooks.length} in ${cwd}${needs}${pending > 0 ? " · counting…" : ""}`;
}

function Problems({ found: { errors, warnings } }: { found: FolderHooks }) {
  if (errors.length + warnings.length === 0) return null;
  return (
    <div class="pad stack tight">
      {errors.map(({ path, message }) => (
        <Note key={path + message} tone="bad">
          <code dir="ltr">{path}</code>: {message}
        </Note>
      ))}
      {warnings.map((warning) => (
        <Note key={warning} tone="warn">
          {warning}
        </Note>
      ))}
    </div>
  );
}

function NoHooks({ isFiltered }: { isFiltered: boolean }) {
  const folder = place.value.query.get("folder");
  if (isFiltered)
    return <NoMatch title="No hook matches" all={pathOf("hooks", null, folder === null ? {} : { folder })} />;
  return (
    <Empty icon="hook" title="No hook applies here">
      <p>
        A hook is a command that runs at an event, for example before a tool. It stands in{" "}
        <code>hooks.json</code> or <code>config.toml</code>.
      </p>
    </Empty>
  );
}

interface HookLineProps {
  readonly hook: HookMetadata;
  readonly found: FolderHooks;
  readonly isSelected: boolean;
}

function HookLine({ hook, found, isSelected }: HookLineProps) {
  const stats = statsOf(found.stats, hook);
  return (
    <tr class={isSelected ? "selected" : ""}>
      <td data-label="Hook">
        <a href={pathOf("hooks", hook.key) + location.search} aria-current={isSelected ? "true" : undefined}>
          <bdi>{nameOf(hook)}</bdi>
        </a>
        <span class="sub">
          {hook.source} <bdi dir="ltr">{hook.sourcePath.split("/").at(-1)}</bdi>
        </span>
      </td>
      <td data-label="Event">
        {eventTitle(hook.eventName)}
        {hook.matcher !== null && (
          <span class="sub mono" dir="ltr">
            {hook.matcher}
          </span>
        )}
      </td>
      <td data-label="Trust">
        <Chip {...describeTrust(hook)} />
      </td>
      <td data-label="Runs" class="num">
        {countText(stats?.runs ?? 0)}
      </td>
      <td data-label="Blocked" class="num">
        {countText(stats?.blocked ?? 0)}
      </td>
      <td data-label="p95" class="num">
        {stats?.p95Ms == null ? "–" : durationText(stats.p95Ms)}
      </td>
    </tr>
  );
}
