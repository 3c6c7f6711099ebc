/** One turn of a queue, and what can be done with it. */
import type { QueuedTurn, QueueOverview } from "../../protocol/generated/types.ts";
import { openAll } from "../state/queue.ts";
import { guard } from "../state/rights.ts";
import { now } from "../state/server.ts";
import { describeAdder, describeQueuedTurn, inputText } from "../text/describe-queue.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { isKey } from "../ui/key-table.ts";
import { VisibleText } from "../ui/visible-text.tsx";

export interface TurnRowProps {
  readonly queue: QueueOverview;
  readonly turn: QueuedTurn;
  readonly at: number;
  readonly moveTo: (turn: QueuedTurn, to: number) => void;
  readonly dragged: string;
  readonly onGrab: (event: PointerEvent) => void;
}

export function TurnRow({ queue, turn, at, moveTo, dragged, onGrab }: TurnRowProps) {
  const { threadId, heldUpBy, total } = queue;
  const { id, status, isOutline } = turn;
  const text = isOutline === true ? "A large turn" : inputText(turn.input);
  const step = (by: number) => moveTo(turn, at + by);
  return (
    <tr
      class={dragged}
      data-turn={id}
      onKeyDown={(event) => {
        const by = isKey(event, "moveUp") ? -1 : isKey(event, "moveDown") ? 1 : 0;
        if (by === 0) return;
        event.preventDefault();
        step(by);
      }}
    >
      <td>
        <button
          class="drag"
          type="button"
          aria-label={`Move “${text.slice(0, 40)}”, place ${at + 1}`}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          {...guard("thread/queue/reorder", { title: "Drag, or Alt with an arrow key" })}
          onPointerDown={onGrab}
        >
          <Icon name="grip" />
        </button>
      </td>
      <td class="num dimmer">{at + 1}</td>
      <td>
        <TurnText {...{ threadId, turn, text }} />
      </td>
      <td>
        <Chip {...describeQueuedTurn(turn, at, heldUpBy, now.value)} />
      </td>
      <td class="dim">{describeAdder(turn)}</td>
      <td class="act">
        <div>
          {(at === 0 || status.type === "failed") && <StartButton {...{ threadId, turn }} />}
          <ActButton
            {...{ method: "thread/queue/reorder", class: "plain icon", label: "Move up", done: "" }}
            isDisabled={at === 0}
            act={async () => step(-1)}
          >
            <Icon name="down" tone="flip" />
          </ActButton>
          <ActButton
            {...{ method: "thread/queue/reorder", class: "plain icon", label: "Move down", done: "" }}
            isDisabled={at === total - 1}
            act={async () => step(1)}
          >
            <Icon name="down" />
          </ActButton>
          <ActButton
            {...{ method: "thread/queue/delete", class: "plain danger icon", label: "Remove from the queue" }}
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
      method="thread/queue/start"
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

function TurnText({
  threadId,
  turn: { isOutline, status },
  text,
}: {
  threadId: string;
  turn: QueuedTurn;
  text: string;
}) {
  return (
    <>
      <span class="wraps lines3" dir="auto">
        <VisibleText text={text} />
      </span>
      {isOutline === true && (
        <ActButton
          method="thread/queue/list"
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
    </>
  );
}
