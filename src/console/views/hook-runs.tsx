/** The latest runs of a hook, and what it would do today at the moment of one of them. */
import { useMemo, useState } from "preact/hooks";
import type {
  HookMetadata,
  HookReplayMoment,
  HookRunEntry,
  HookRunSummary,
} from "../../protocol/generated/types.ts";
import { latestRuns, replayRun } from "../state/hooks.ts";
import { createLoaded, useLoaded } from "../state/loaded.ts";
import { now } from "../state/server.ts";
import { capital } from "../text/capital.ts";
import { describeRun } from "../text/describe-hook.ts";
import { clockTime, durationText } from "../text/time.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { ThreadLink } from "./thread-link.tsx";

const RUN_COLUMNS = [
  { name: "When" },
  { name: "Thread" },
  { name: "Outcome" },
  { name: "Took", isNumber: true },
  { name: "Actions", isQuiet: true },
];

export function HookRuns({ hook }: { hook: HookMetadata }) {
  const loaded = useMemo(() => createLoaded((current) => latestRuns(current, hook)), [hook.key]);
  useLoaded(loaded, [loaded]);
  const [replay, setReplay] = useState<Replay | null>(null);
  const runs = loaded.data.value;
  return (
    <Card title="Latest runs">
      <LoadedState loaded={loaded} rows={2} />
      {runs?.length === 0 && <p class="in dim">It has not run yet.</p>}
      {runs !== null && runs.length > 0 && (
        <Table label="Latest runs" columns={RUN_COLUMNS}>
          {runs.map((entry) => (
            <RunLine key={entry.run.runId} entry={entry} onReplay={setReplay} />
          ))}
        </Table>
      )}
      {replay !== null && <ReplayResult replay={replay} />}
    </Card>
  );
}

interface RunLineProps {
  readonly entry: HookRunEntry;
  readonly onReplay: (replay: Replay) => void;
}

function RunLine({ entry, onReplay }: RunLineProps) {
  const { threadId, run } = entry;
  return (
    <tr>
      <td data-label="When" class="nw">
        {clockTime(run.startedAt, now.value)}
      </td>
      <td data-label="Thread">
        <ThreadLink threadId={threadId} item={run.runId} />
      </td>
      <td data-label="Outcome">
        <Chip {...describeRun(run.status)} />
        {run.entries.map(({ text }, index) => (
          <span key={index} class="sub wraps lines3" dir="auto">
            {text}
          </span>
        ))}
      </td>
      <td data-label="Took" class="num">
        {run.durationMs === null ? "–" : durationText(run.durationMs)}
      </td>
      <td class="act">
        <div>
          <ActButton
            method="hook/replay"
            done="The run was replayed"
            act={async (client) => onReplay({ then: run, moment: await replayRun(client, entry) })}
          >
            Replay
          </ActButton>
        </div>
      </td>
    </tr>
  );
}

interface Replay {
  readonly then: HookRunSummary;
  readonly moment: HookReplayMoment | null;
}

function ReplayResult({ replay: { then, moment } }: { replay: Replay }) {
  if (moment === null)
    return <p class="in dim">This moment cannot be rebuilt from what the thread has recorded.</p>;
  const { about, runs, notRun, would, differences } = moment;
  const sentences = [
    ...differences,
    ...would,
    ...notRun.map(({ reason }) => `A hook does not run: ${reason}`),
  ];
  return (
    <div class="in stack tight" role="status">
      {about !== "" && (
        <p class="wraps mono" dir="auto">
          <VisibleText text={about} />
        </p>
      )}
      <div class="row wrap">
        Then <Chip {...describeRun(then.status)} /> now
        {runs.length === 0 && <span class="dim">no run</span>}
        {runs.map((run) => (
          <Chip key={run.runId} {...describeRun(run.status)} />
        ))}
      </div>
      {differences.length + notRun.length === 0 && <p>It decides as it did then.</p>}
      {sentences.map((sentence) => (
        <p key={sentence} class="wraps" dir="auto">
          <VisibleText text={capital(sentence)} />
        </p>
      ))}
    </div>
  );
}
