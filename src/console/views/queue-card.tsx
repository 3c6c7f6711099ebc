/** The queue of one thread: its turns in the order in which they start. */
import { useEffect, useRef } from "preact/hooks";
import type { QueuedTurn, QueueOverview } from "../../protocol/generated/types.ts";
import { move, openAll, rowsOf } from "../state/queue.ts";
import { pathOf } from "../state/router.ts";
import { lackOf, now } from "../state/server.ts";
import { titleOf } from "../state/threads.ts";
import { describeHold, describeSource, describeTurn, textOf } from "../text/describe-queue.ts";
import { ActButton, perform } from "../ui/act-button.tsx";
import { Card } from "../ui/card.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { useDrag } from "./use-drag.ts";

type Mover = (turn: QueuedTurn, to: number) => void;

export function QueueCard({ queue }: { queue: QueueOverview }) {
  const { threadId, total, heldUpBy } = queue;
  const rows = rowsOf(queue);
  const title = titleOf(queue);
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
    if (lackOf("operate") !== null || to < 0 || to >= total || rows[to]?.id === turn.id) return;
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
      <div class="tablewrap">
        <table class="fixed" aria-label={`Queue of ${title}`}>
          <colgroup>
            <col class="w40" />
            <col class="w40" />
            <col />
            <col class="w190" />
            <col class="w110" />
            <col class="w220" />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">
                <span class="sr">Move</span>
              </th>
              <th scope="col" class="num">
                #
              </th>
              <th scope="col">Turn</th>
              <th scope="col">State</th>
              <th scope="col">From</th>
              <th scope="col">
                <span class="sr">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((turn, at) => (
              <TurnRow
                key={turn.id}
                {...{ queue, turn, at }}
                moveTo={moveTo}
                dragged={drag.from === at ? "dragged" : drag.to === at ? "target" : ""}
                onGrab={(event) => drag.start(event, at)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length < total && (
        <div class="boxf">
          <ActButton
            scope="read"
            class="plain"
            done={`${total} turns are shown`}
            act={(client) => openAll(client, threadId)}
          >
            Show all {total} turns
          </ActButton>
        </div>
      )}
    </Card>
  );
}

function PauseButton({ queue: { threadId, pauseReason } }: { queue: QueueOverview }) {
  return pauseReason === null ? (
    <ActButton
      scope="operate"
      done="The queue is paused"
      act={(client) => client.request("thread/queue/pause", { threadId })}
    >
      <Icon name="pause" />
      Pause
    </ActButton>
  ) : (
    <ActButton
      scope="operate"
      done="The queue continues"
      act={(client) => client.request("thread/queue/resume", { threadId })}
    >
      <Icon name="play" />
      Resume
    </ActButton>
  );
}

interface TurnRowProps {
  readonly queue: QueueOverview;
  readonly turn: QueuedTurn;
  readonly at: number;
  readonly moveTo: Mover;
  readonly dragged: string;
  readonly onGrab: (event: PointerEvent) => void;
}

function TurnRow({ queue, turn, at, moveTo, dragged, onGrab }: TurnRowProps) {
  const { threadId, heldUpBy, total } = queue;
  const { id, status, isOutline } = turn;
  const text = isOutline === true ? "A large turn" : textOf(turn.input);
  const lack = lackOf("operate");
  const step = (by: number) => moveTo(turn, at + by);
  return (
    <tr
      class={dragged}
      data-turn={id}
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
        event.preventDefault();
        step(event.key === "ArrowUp" ? -1 : 1);
      }}
    >
      <td>
        <button
          class="drag"
          type="button"
          aria-label={`Move “${text.slice(0, 40)}”, place ${at + 1}`}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          title={lack ?? "Drag, or Alt with an arrow key"}
          disabled={lack !== null}
          onPointerDown={onGrab}
        >
          <Icon name="grip" />
        </button>
      </td>
      <td class="num dimmer">{at + 1}</td>
      <td>
        <span class="wraps lines3" dir="auto">
          <VisibleText text={text} />
        </span>
        {isOutline === true && (
          <ActButton
            scope="read"
            class="plain"
            done="It is shown"
            act={(client) => openAll(client, threadId)}
          >
            Show it
          </ActButton>
        )}
        {status.type === "failed" && (
          <span class="sub fg-bad wraps" dir="auto">
            Could not start: {status.error.message}
          </span>
        )}
      </td>
      <td>
        <Chip {...describeTurn(turn, at, heldUpBy, now.value)} />
      </td>
      <td class="dim">{describeSource(turn)}</td>
      <td class="act">
        <div>
          {(at === 0 || status.type === "failed") && <StartButton {...{ threadId, turn }} />}
          <ActButton
            {...{ scope: "operate", class: "plain icon", label: "Move up", done: "" }}
            isDisabled={at === 0}
            act={async () => step(-1)}
          >
            <Icon name="down" tone="flip" />
          </ActButton>
          <ActButton
            {...{ scope: "operate", class: "plain icon", label: "Move down", done: "" }}
            isDisabled={at === total - 1}
            act={async () => step(1)}
          >
            <Icon name="down" />
          </ActButton>
          <ActButton
            {...{ scope: "operate", class: "plain danger icon", label: "Remove from the queue" }}
            done="Removed from the queue"
            asks="Remove?"
            act={(client) => client.request("thread/queue/delete", { threadId, queuedSubmissionId: id })}
          >
            <Icon name="x" />
          </ActButton>
        </div>
      </td>
    </tr>
  );
}

function StartButton({ threadId, turn: { id, status } }: { threadId: string; turn: QueuedTurn }) {
  return (
    <ActButton
      scope="operate"
      done="The turn starts"
      act={async (client) => {
        // A turn is started in a loaded thread.
        await client.request("thread/resume", { threadId, excludeTurns: true });
        await client.request("thread/queue/start", { threadId, queuedSubmissionId: id });
      }}
    >
      {status.type === "failed" ? "Retry" : "Start now"}
    </ActButton>
  );
}
