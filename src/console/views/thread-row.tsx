/** One row of a thread. */
import type { OpenThread } from "../state/open-thread.ts";
import { now } from "../state/server.ts";
import type { TurnModel } from "../state/thread-model.ts";
import type { ThreadRowModel } from "../state/thread-rows.ts";
import { clockTime, durationText } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { HookRow } from "./hook-row.tsx";
import { ItemDecisions } from "./item-decisions.tsx";
import { CopyLink, idOfRow, linkedRow } from "./item-link.tsx";
import { ItemRow } from "./item-row.tsx";
import { QuestionCard } from "./question-card.tsx";

interface RowProps {
  readonly row: ThreadRowModel;
  readonly index: number;
  readonly total: number;
  readonly thread: OpenThread;
}

export function RowView({ row, index, total, thread }: RowProps) {
  return (
    <article
      aria-posinset={index + 1}
      aria-setsize={total}
      aria-label={labelOf(row)}
      id={idOfRow(row.key)}
      tabIndex={-1}
      class={linkedRow() === row.key ? "linked" : ""}
    >
      <Content row={row} thread={thread} />
      {row.kind !== "question" && <CopyLink threadId={thread.threadId} rowKey={row.key} />}
    </article>
  );
}

function Content({ row, thread }: Pick<RowProps, "row" | "thread">) {
  switch (row.kind) {
    case "turn":
      return <TurnHead turn={row.turn} number={row.number} thread={thread} />;
    case "entry": {
      const { entry } = row;
      void thread.versionOf(entry.id).value;
      if (entry.kind === "hook") return <HookRow run={entry.run} />;
      return (
        <>
          <ItemRow entry={entry} thread={thread} />
          <ItemDecisions entry={entry} thread={thread} />
        </>
      );
    }
    case "plan":
      return <Plan turn={row.turn} />;
    case "error":
      return <TurnFailure turn={row.turn} />;
    case "question":
      return <QuestionCard approval={row.approval} />;
  }
}

function labelOf(row: ThreadRowModel): string {
  if (row.kind !== "entry") return row.kind === "turn" ? "Beginning of a turn" : row.kind;
  return row.entry.kind === "hook" ? "Hook" : (LABELS[row.entry.item.type] ?? row.entry.item.type);
}

const LABELS: Readonly<Record<string, string>> = {
  userMessage: "Message of a user",
  agentMessage: "Message of the agent",
  commandExecution: "Command",
  fileChange: "Change of files",
  reasoning: "Reasoning",
  mcpToolCall: "Tool call",
};

function TurnHead({ turn, number, thread }: { turn: TurnModel; number: number; thread: OpenThread }) {
  void thread.versionOf(turn.id).value;
  const { startedAt, status, durationMs } = turn;
  const running = status === "inProgress" && startedAt !== null ? now.value - startedAt * 1000 : null;
  const parts = [
    number > 0 ? `Turn ${number}` : "Turn",
    startedAt === null ? null : clockTime(startedAt, now.value),
    running !== null
      ? `running ${durationText(Math.max(0, running))}`
      : durationMs === null
        ? null
        : durationText(durationMs),
    status === "interrupted" ? "interrupted" : status === "failed" ? "failed" : null,
  ];
  return (
    <div class="turn">
      <span>{parts.filter((part) => part !== null).join(" · ")}</span>
    </div>
  );
}

const STEP = {
  completed: { icon: "ok", tone: "fg-ok", style: "done" },
  inProgress: { icon: "play", tone: "fg-run", style: "now" },
  pending: { icon: "target", tone: "dimmer", style: "" },
} as const;

function Plan({ turn: { plan } }: { turn: TurnModel }) {
  const done = plan.filter(({ status }) => status === "completed").length;
  return (
    <div class="it">
      <Icon name="list" />
      <div class="body">
        <div class="row small dim">
          <b>Plan</b> {done} of {plan.length}
        </div>
        <ul class="plan">
          {plan.map(({ step, status }, index) => {
            const { icon, tone, style } = STEP[status];
            return (
              <li key={index} class={style}>
                <Icon name={icon} tone={tone} label={status} />
                <span dir="auto">{step}</span>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

function TurnFailure({ turn: { error, status } }: { turn: TurnModel }) {
  if (error === null) return null;
  return (
    <div class="it">
      <Icon name="x" tone="fg-bad" />
      <div class="body">
        <div class="note bad" role="note">
          <span class="grow wraps">
            <b>{status === "failed" ? "The turn has failed" : "An error"}</b>: {error.message}
            {error.additionalDetails !== null && <span class="dim"> {error.additionalDetails}</span>}
          </span>
        </div>
      </div>
    </div>
  );
}
