/** How the server is: its numbers, what the doctor finds, who is connected, and what it sends. */
import type { ServerStatusResponse } from "../../protocol/generated/types.ts";
import { now } from "../state/server.ts";
import { history, runDoctor, serverStatus, useStatus } from "../state/server-status.ts";
import { sizeText, uptimeText } from "../text/amounts.ts";
import { clockTime, durationText } from "../text/time.ts";
import { ActButton, ActFailure } from "../ui/act-button.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { LoadedState } from "../ui/loaded-state.tsx";
import { Sparkline } from "../ui/sparkline.tsx";
import { Devices } from "./devices.tsx";
import { Doctor } from "./doctor.tsx";
import { Metrics } from "./metrics.tsx";
import { MoreViews } from "./more-views.tsx";
import { Webhooks } from "./webhooks.tsx";

export function ServerView() {
  useStatus();
  const found = serverStatus.data.value;
  return (
    <>
      <h1 class="sr">Server</h1>
      <div class="head">
        <h2 class="h1">Server</h2>
        {found !== null && (
          <span class="sub desk">
            heddle {found.version} · up {uptimeText(found.uptimeMs)}
          </span>
        )}
        <span class="grow" />
        <ActButton method="doctor/run" done="The doctor has looked" act={runDoctor}>
          Run doctor
        </ActButton>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Server">
        <div class="pad stack wide">
          <MoreViews />
          <ActFailure />
          <LoadedState loaded={serverStatus} />
          {found !== null && <Numbers found={found} />}
          <Doctor />
          <Devices />
          <Webhooks />
          {found !== null && <Connections found={found} />}
          <Metrics />
        </div>
      </div>
    </>
  );
}

function Numbers({ found }: { found: ServerStatusResponse }) {
  const { threadsLoaded, turnsRunning, memory, eventLoopDelay, waiting, queued, outbox, cpuSeconds } = found;
  const { threads, turns, memory: sizes, delay } = history.value;
  const { p99Ms, meanMs } = eventLoopDelay;
  return (
    <>
      <div class="stats">
        <Stat name="Threads loaded" value={String(threadsLoaded)} points={threads} />
        <Stat name="Turns running" value={String(turnsRunning)} points={turns} />
        <Stat name="Memory" value={sizeText(memory.rssBytes)} points={sizes} />
        <Stat
          name={p99Ms === null ? "Loop delay, mean" : "Loop delay p99"}
          value={durationText(p99Ms ?? meanMs)}
          points={delay}
        />
      </div>
      <div class="stats">
        <Stat name="Questions open" value={String(waiting.question)} note={limitText(waiting.usageLimit)} />
        <Stat
          name="Turns queued"
          value={String(queued.pending)}
          note={failedText(queued.failed, "could not start")}
        />
        <Stat
          name="Events to send"
          value={String(outbox.pending)}
          note={failedText(outbox.abandoned, "given up")}
        />
        <Stat
          name="Processor time"
          value={durationText((cpuSeconds.user + cpuSeconds.system) * 1000)}
          note={`heap ${sizeText(memory.heapUsedBytes)} of ${sizeText(memory.heapTotalBytes)}`}
        />
      </div>
    </>
  );
}

const limitText = (count: number): string =>
  count === 0 ? "no limit reached" : `${count} wait for a usage limit`;
const failedText = (count: number, words: string): string =>
  count === 0 ? "none failed" : `${count} ${words}`;

interface StatProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly points?: readonly number[];
}

function Stat({ name, value, note, points }: StatProps) {
  return (
    <div>
      <span>{name}</span>
      <b>{value}</b>
      {note !== undefined && <span>{note}</span>}
      {points !== undefined && <Sparkline points={points} />}
    </div>
  );
}

const COLUMNS = [
  { name: "Client" },
  { name: "Person" },
  { name: "Since" },
  { name: "Requests that run", isNumber: true },
];

function Connections({ found: { connections, connectionCount } }: { found: ServerStatusResponse }) {
  return (
    <Card title="Connections" aside={<span class="small dimmer">{connectionCount}</span>}>
      <Table label="Connections" columns={COLUMNS}>
        {connections.map(({ id, clientName, clientVersion, subject, since, inFlight, isYou }) => (
          <tr key={id}>
            <td data-label="Client">
              <bdi>{[clientName ?? "unknown", clientVersion].filter((part) => part !== null).join(" ")}</bdi>{" "}
              {isYou && <Chip words="this page" tone="ok" />}
            </td>
            <td data-label="Person">
              {subject === null ? <span class="dimmer">–</span> : <bdi>{subject}</bdi>}
            </td>
            <td data-label="Since">{clockTime(since, now.value)}</td>
            <td data-label="Requests" class="num">
              {inFlight}
            </td>
          </tr>
        ))}
      </Table>
      {connectionCount > connections.length && (
        <div class="boxf">{connectionCount - connections.length} more are not listed.</div>
      )}
    </Card>
  );
}
