/** Renders notices of a turn as terminal lines. */
import { withOwnProductName } from "../../base/product-name.ts";
import type { ThreadItem, Turn, TurnError, TurnPlanStep } from "../../protocol/generated/types.ts";
import type { Paint } from "../command-line/paint.ts";
import { toTerminalText } from "../command-line/terminal-text.ts";
import { describeError, type Notice, withDetails } from "./notice.ts";

/** Null for notices that are not shown. */
export function renderNotice({ method, params }: Notice, paint: Paint): string | null {
  const warning = (text: string) => `${paint.bad("warning:")} ${toTerminalText(withOwnProductName(text))}`;
  switch (method) {
    case "configWarning":
      return warning(withDetails(params.summary, params.details));
    case "deprecationNotice":
      return `${paint.bad("deprecated:")} ${toTerminalText(withDetails(params.summary, params.details))}`;
    case "warning":
      return warning(params.message);
    case "model/rerouted":
      return `${paint.bad("model rerouted:")} ${toTerminalText(`${params.fromModel} -> ${params.toModel}`)}`;
    case "error":
      return renderError(params.error, paint);
    case "hook/started":
      return `hook: ${params.run.eventName}`;
    case "hook/completed":
      return `hook: ${params.run.eventName} ${params.run.status}`;
    case "item/started":
      return renderStart(params.item, paint);
    case "item/completed":
      return renderEnd(params.item, paint);
    case "turn/plan/updated":
      return renderPlan(params.explanation, params.plan, paint);
    case "turn/diff/updated":
      return toTerminalText(params.diff.trimEnd()) || null;
    case "turn/completed":
      return renderTurnEnd(params.turn, paint);
    default:
      return null;
  }
}

/** The activity that a notice starts; null if the activity is unchanged. */
export function activityLabel({ method, params }: Notice): string | null {
  if (method === "item/completed") return "thinking";
  if (method !== "item/started") return null;
  const { item } = params;
  if (item.type === "commandExecution") return `running ${item.command}`;
  if (item.type === "mcpToolCall") return `calling ${item.server}/${item.tool}`;
  if (item.type === "fileChange") return "applying a patch";
  return item.type === "agentMessage" ? "writing" : null;
}

function renderError(error: TurnError, paint: Paint): string {
  return `${paint.bad("ERROR:")} ${toTerminalText(withOwnProductName(describeError(error)))}`;
}

function renderTurnEnd({ status, error }: Turn, paint: Paint): string | null {
  if (status === "interrupted") return paint.faint("turn interrupted");
  return status === "failed" && error !== null ? renderError(error, paint) : null;
}

function renderStart(item: ThreadItem, paint: Paint): string | null {
  switch (item.type) {
    case "commandExecution":
      return `${paint.good("exec")}\n${toTerminalText(`${item.command} in ${item.cwd}`)}`;
    case "mcpToolCall":
      return `mcp: ${toTerminalText(`${item.server}/${item.tool}`)} ${paint.faint("started")}`;
    case "fileChange":
      return "apply patch";
    case "collabAgentToolCall":
      return `agents: ${item.tool}`;
    default:
      return null;
  }
}

function renderEnd(item: ThreadItem, paint: Paint): string | null {
  switch (item.type) {
    case "agentMessage":
      return `${paint.good("heddle")}\n${toTerminalText(item.text)}`;
    case "reasoning": {
      const text = item.summary.join("\n");
      return text.trim() === "" ? null : paint.faint(toTerminalText(text));
    }
    case "commandExecution":
      return renderCommandEnd(item, paint);
    case "fileChange": {
      const paths = item.changes.map(({ path }) => paint.faint(toTerminalText(path)));
      return [`patch: ${item.status}`, ...paths].join("\n");
    }
    case "mcpToolCall": {
      const line = `mcp: ${toTerminalText(`${item.server}/${item.tool}`)} (${item.status})`;
      return item.error === null ? line : `${line}\n${paint.bad(toTerminalText(item.error.message))}`;
    }
    case "webSearch":
      return `web search: ${toTerminalText(item.query)}`;
    case "contextCompaction":
      return paint.faint("context compacted");
    default:
      return null;
  }
}

function renderCommandEnd(
  { status, exitCode, durationMs, aggregatedOutput }: Extract<ThreadItem, { type: "commandExecution" }>,
  paint: Paint,
): string {
  const took = durationMs === null ? "" : ` in ${durationMs}ms`;
  const ends = {
    completed: paint.good(` succeeded${took}:`),
    failed: paint.bad(` exited ${exitCode ?? 1}${took}:`),
    declined: paint.bad(` declined${took}:`),
    inProgress: paint.faint(` in progress${took}:`),
  };
  const output = aggregatedOutput ?? "";
  return output.trim() === "" ? ends[status] : `${ends[status]}\n${toTerminalText(output)}`;
}

const MARKS = { completed: "✓", inProgress: "→", pending: "•" } as const;

function renderPlan(explanation: string | null, plan: readonly TurnPlanStep[], paint: Paint): string {
  const steps = plan.map(({ step, status }) => {
    const line = `  ${MARKS[status]} ${toTerminalText(step)}`;
    return status === "pending" ? paint.faint(line) : line;
  });
  return [...(explanation === null ? [] : [toTerminalText(explanation)]), ...steps].join("\n");
}
