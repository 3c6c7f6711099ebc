/** The queue of one thread: its turns in the order in which they start. */
import { useEffect, useRef } from "preact/hooks";
import type { QueuedTurn, QueueOverview } from "../../protocol/generated/types.ts";
import { move, openAll, turnsOf } from "../state/queue.ts";
import { lackOf } from "../state/rights.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { titleOfThread } from "../state/threads.ts";
import { describeChange, personOf } from "../text/describe-change.ts";
import { describeHold } from "../text/describe-queue.ts";
import { clockTime } from "../text/time.ts";
import { ActButton, perform } from "../ui/act-button.tsx";
import { notify } from "../ui/announce.tsx";
import { Card, Table } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { TurnRow } from "./queue-row.tsx";
import { useDrag } from "./use-drag.ts";

const COLUMNS = [
  { name: "Move", isQuiet: true, width: "w40" },
  { name: "#", isNumber: true, width: "w40" },
  { name: "Turn" },
  { name: "State", width: "w190" },
  { name: "From", width: "w110" },
  { name: "Actions", isQuiet: true, width: "w220" },
];

export function QueueCard({ queue }: { queue: QueueOverview }) {
  const { threadId, total, heldUpBy, lastChange } = queue;
  const rows = turnsOf(queue);
  const title = titleOfThread(queue);
  const hold = describeHold(heldUpBy, now.value);
  const body = useRef<HTMLTableSectionElement>(null);
  const focused = useRef<string | null>(null);
  // A row that is moved in the document loses the focus.
  useEffect(() => {
    if (focused.current === null) return;
    body.current?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(focused.current)}"] .drag`)?.focus();
    focused.current = null;
  });
  function moveTo(turn: QueuedTurn, to: number): void {
    const lack = lackOf("thread/queue/reorder");
    if (lack !== null) return notify(lack);
    if (to < 0 || to >= total || rows[to]?.id === turn.id) return;
    focused.current = turn.id;
    void perform((client) => move(client, queue, turn.id, to), `Moved to place ${to + 1} of ${total}`);
  }
  const drag = useDrag(body, (from, to) => {
    const turn = rows[from];
    if (turn !== undefined) moveTo(turn, to);
  });
  return (
    <Card
      title={
        <a href={pathOf("threads", threadId)}>
          <bdi>{title}</bdi>
        </a>
      }
      aside={
        <>
          {hold !== null && <Chip {...hold} />}
          <span class="grow" />
          <PauseButton queue={queue} />
        </>
      }
    >
      <Table label={`Queue of ${title}`} columns={COLUMNS} body={body} isFixed>
        {rows.map((turn, at) => (
          <TurnRow
            key={turn.id}
            {...{ queue, turn, at }}
            moveTo={moveTo}
            dragged={drag.from === at ? "dragged" : drag.to === at ? "target" : ""}
            onGrab={(event) => drag.start(event, at)}
          />
        ))}
      </Table>
      {rows.length < total && (
        <div class="boxf">
          <ActButton
            method="thread/queue/list"
            class="plain"
            done={`${total} turns are shown`}
            act={(client) => openAll(client, threadId)}
          >
            Show all {total} turns
          </ActButton>
        </div>
      )}
      {lastChange !== null && (
        <p class="boxf small">
          <bdi>{personOf(lastChange)}</bdi> {describeChange(lastChange)},{" "}
          {clockTime(lastChange.at, now.value)}
        </p>
      )}
    </Card>
  );
}

function PauseButton({ queue: { threadId, pauseReason } }: { queue: QueueOverview }) {
  return pauseReason === null ? (
    <ActButton
      method="thread/queue/pause"
      done="The queue is paused"
      act={(client) => client.request("thread/queue/pause", { threadId })}
    >
      <Icon name="pause" />
      Pause
    </ActButton>
  ) : (
    <ActButton
      method="thread/queue/resume"
      done="The queue continues"
      act={(client) => client.request("thread/queue/resume", { threadId })}
    >
      <Icon name="play" />
      Resume
    </ActButton>
  );
}
