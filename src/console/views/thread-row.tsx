/** One row of a thread. */
import { PlanSteps } from "../parts/plan-steps.tsx";
import { TurnFailure } from "../parts/turn-failure.tsx";
import type { OpenThread } from "../state/open-thread.ts";
import { now } from "../state/server.ts";
import type { TurnModel } from "../state/thread-model.ts";
import type { ThreadRowModel } from "../state/thread-rows.ts";
import { clockTime, durationText } from "../text/time.ts";
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
      return <PlanSteps plan={row.turn.plan} />;
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
