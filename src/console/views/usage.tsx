/** What the threads have used: tokens and cost by day, folder and model. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { UsageGroup } from "../../protocol/generated/types.ts";
import { type Loaded, useLoaded } from "../state/loaded.ts";
import { place, setFilter } from "../state/router.ts";
import { createUsage, dayCountOf, RANGES, type UsageFacts } from "../state/usage.ts";
import { costText, shareText } from "../text/amounts.ts";
import { countText } from "../text/time.ts";
import { modelOf } from "../text/usage-chart.ts";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { Empty } from "../ui/states.tsx";
import { UsageChart } from "./usage-chart.tsx";

export function Usage() {
  const range = dayCountOf(place.value.query);
  const loaded = useMemo(() => createUsage(range), [range]);
  useLoaded(loaded, [loaded]);
  useCounting(loaded);
  const usage = loaded.data.value;
  return (
    <>
      <h1 class="sr">Usage</h1>
      <div class="head">
        <h2 class="h1">Usage</h2>
        {usage !== null && usage.pending > 0 && <Chip words="counting…" tone="run" />}
        <span class="grow" />
        <span class="seg" role="group" aria-label="Range">
          {RANGES.map((days) => (
            <button
              key={days}
              type="button"
              aria-pressed={days === range}
              title={`${days} days`}
              onClick={() => setFilter("range", `${days}d`)}
            >
              {days} d
            </button>
          ))}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Usage">
        <div class="pad stack wide">
          <LoadedState loaded={loaded} />
          {usage !== null && usage.total.turns === 0 && usage.pending === 0 && (
            <Empty icon="chart" title="Nothing was used in these days">
              <p>The tokens of each turn appear here by day, folder and model.</p>
            </Empty>
          )}
          {usage !== null && usage.total.turns > 0 && <Facts usage={usage} range={range} />}
        </div>
      </div>
    </>
  );
}

const ASK_AGAIN_MS = 700;
/** A thread that cannot be counted must not be asked about for ever. */
const MAX_ASKED = 40;

/** Asks again while the server counts. */
function useCounting({ data, reload }: Loaded<UsageFacts>): void {
  const usage = data.value;
  const asked = useRef(0);
  useEffect(() => {
    if (usage === null || usage.pending === 0 || asked.current >= MAX_ASKED) return;
    const timer = setTimeout(() => {
      asked.current += 1;
      void reload();
    }, ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [usage]);
}

function Facts({ usage, range }: { usage: UsageFacts; range: number }) {
  const { total, byFolder, byModel, isCut } = usage;
  return (
    <>
      <div class="stats">
        <Stat
          name={`Tokens, ${range} days`}
          value={countText(total.totalTokens)}
          note={`${countText(total.outputTokens)} of them output`}
        />
        <Stat
          name="Cost"
          value={total.cost === null ? "–" : costText(total.cost)}
          note={total.cost === null ? "a model has no price" : "by the configured prices"}
        />
        <Stat
          name="From the cache"
          value={shareText(total.cachedInputTokens, total.inputTokens) ?? "–"}
          note="of input tokens"
        />
        <Stat
          name="Turns"
          value={total.turns.toLocaleString()}
          note={`in ${total.threads.toLocaleString()} ${total.threads === 1 ? "thread" : "threads"}`}
        />
      </div>
      {isCut && <p class="note">There are more groups than can be listed. The totals have all of them.</p>}
      <UsageChart usage={usage} />
      <div class="grid2">
        <Card title="By folder">
          <Table label="Usage by folder" columns={FOLDER_COLUMNS}>
            {byFolder.map((group) => (
              <tr key={group.folder}>
                <td data-label="Folder">
                  <span class="wraps" dir="ltr">
                    {group.folder ?? "unknown"}
                  </span>
                </td>
                <Numbers group={group} />
              </tr>
            ))}
          </Table>
        </Card>
        <Card title="By model">
          <Table label="Usage by model" columns={MODEL_COLUMNS}>
            {byModel.map((group) => (
              <tr key={group.model}>
                <td data-label="Model">
                  <bdi class="wraps">{modelOf(group)}</bdi>
                </td>
                <Numbers group={group} />
              </tr>
            ))}
          </Table>
        </Card>
      </div>
    </>
  );
}

const NUMBERS = ["In", "Cached", "Out", "Cost", "Turns"].map((name) => ({ name, isNumber: true }));
const FOLDER_COLUMNS = [{ name: "Folder" }, ...NUMBERS];
const MODEL_COLUMNS = [{ name: "Model" }, ...NUMBERS];

function Stat({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div>
      <span>{name}</span>
      <b>{value}</b>
      <span>{note}</span>
    </div>
  );
}

function Numbers({ group }: { group: UsageGroup }) {
  const { inputTokens, cachedInputTokens, outputTokens, cost, turns } = group;
  return (
    <>
      <td data-label="In" class="num">
        {countText(inputTokens)}
      </td>
      <td data-label="Cached" class="num">
        {shareText(cachedInputTokens, inputTokens) ?? "–"}
      </td>
      <td data-label="Out" class="num">
        {countText(outputTokens)}
      </td>
      <td data-label="Cost" class="num">
        {cost === null ? <span class="dimmer">no price</span> : costText(cost)}
      </td>
      <td data-label="Turns" class="num">
        {turns.toLocaleString()}
      </td>
    </>
  );
}
