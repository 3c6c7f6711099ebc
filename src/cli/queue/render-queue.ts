/** Renders a queue as a table, or as JSON in the wire format. */
import { printable } from "../../base/printable.ts";
import { inputPreview } from "../../engine/input/user-message.ts";
import type { QueueHold } from "../../protocol/generated/types.ts";
import { toQueuedTurn } from "../../runtime/queue/queue-entry.ts";
import type { QueueRow } from "../../store/queue.ts";
import type { Paint } from "../command-line/paint.ts";
import { clip, formatAge } from "../command-line/terminal-text.ts";

export interface QueueView<T> {
  readonly threadId: string;
  readonly rows: readonly T[];
  readonly pause: string | null;
  /** Why the first row does not start; null if it is about to, or the queue is empty. */
  readonly heldUpBy: QueueHold | null;
}

/** The displayed part of a row. */
export interface ShownRow extends Pick<QueueRow, "rowId" | "state" | "notBeforeMs" | "createdAtMs"> {
  readonly firstLine: string;
  /** Error of a failed row. */
  readonly failure: string | null;
}

const MAX_TEXT_LENGTH = 100;
const MAX_FAILURE_LENGTH = 300;

/** A thread with its rows: position, id, state, age and first line; a failure follows on the next line. */
export function renderQueue(
  { threadId, rows, pause, heldUpBy }: QueueView<ShownRow>,
  nowMs: number,
  paint: Paint,
): string {
  const paused = pause === null ? "" : `  ${paint.bad(`paused: ${clip(pause, MAX_FAILURE_LENGTH)}`)}`;
  const held = heldUpBy === null || heldUpBy.type === "paused" ? [] : [`  waits: ${explainHold(heldUpBy)}`];
  const width = `${rows.length}`.length;
  const lines = rows.flatMap((row, index) => {
    const position = `${index + 1}`.padStart(width);
    const age = formatAge(nowMs - row.createdAtMs).padStart(4);
    const first = `  ${position}  ${row.rowId}  ${renderState(row, paint)}  ${paint.faint(age)}  ${row.firstLine}`;
    const more = `  ${" ".repeat(width)}  `;
    return [first, ...notesOf(row, nowMs).map((note) => more + note)];
  });
  const nothing = rows.length === 0 ? [paint.faint("  nothing waits")] : [];
  return `${[`${printable(threadId)}${paused}`, ...held, ...lines, ...nothing].join("\n")}\n`;
}

export function toShownRow(row: QueueRow): ShownRow {
  const { rowId, state, notBeforeMs, createdAtMs } = row;
  const text = inputPreview(toQueuedTurn(row).input) ?? "";
  const message = row.failure?.["message"];
  return {
    rowId,
    state,
    notBeforeMs,
    createdAtMs,
    firstLine: clip(text.split("\n", 1)[0] ?? "", MAX_TEXT_LENGTH),
    failure: typeof message === "string" ? clip(message, MAX_FAILURE_LENGTH) : null,
  };
}

function renderState({ state }: ShownRow, paint: Paint): string {
  return state === "failed" ? paint.bad("failed ") : state.padEnd("pending".length);
}

function notesOf({ failure, notBeforeMs }: ShownRow, nowMs: number): string[] {
  return [
    ...(failure === null ? [] : [`could not be started: ${failure}`]),
    ...(notBeforeMs !== null && notBeforeMs > nowMs
      ? [`not before ${new Date(notBeforeMs).toISOString()}`]
      : []),
  ];
}

/** Describes a hold and its remedy. */
export function explainHold(hold: QueueHold): string {
  switch (hold.type) {
    case "question":
      return `turn ${hold.turnId} waits for an answer of a client`;
    case "usageLimit":
      return `turn ${hold.turnId} waits until ${new Date(hold.until * 1000).toISOString()} for the end of a usage limit`;
    case "paused":
      return `it is paused (${clip(hold.reason, MAX_FAILURE_LENGTH)}); heddle queue resume continues it`;
    case "failed":
      return `its first turn could not be started; take it out or move it with heddle queue rm or mv`;
    case "notBefore":
      return `its first turn starts no sooner than ${new Date(hold.notBefore * 1000).toISOString()}`;
    case "turn":
      return `turn ${hold.turnId} runs`;
    case "elsewhere":
      return "another program has the thread";
    case "noServer":
      return "no server on this home starts queued turns in the background; run heddle serve";
  }
}

export function queueToJson({ threadId, rows, pause, heldUpBy }: QueueView<ReturnType<typeof rowToJson>>) {
  return {
    threadId,
    pauseReason: pause,
    heldUpBy,
    queuedTurns: rows.map((row, index) => ({ position: index + 1, ...row })),
  };
}

export function rowToJson(row: QueueRow) {
  const { createdAtMs, updatedAtMs } = row;
  return {
    ...toQueuedTurn(row),
    createdAt: Math.floor(createdAtMs / 1000),
    updatedAt: Math.floor(updatedAtMs / 1000),
  };
}
