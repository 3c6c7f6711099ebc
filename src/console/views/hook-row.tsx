/** A run of a hook at the place where it ran, and what came of it. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { pathOf } from "../state/router.ts";
import { durationText } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";

const OUTCOMES = {
  running: ["runs", "run"],
  completed: ["done", ""],
  failed: ["failed", "bad"],
  blocked: ["blocked", "bad"],
  stopped: ["stopped the turn", "warn"],
} as const;

export function HookRow({ run }: { run: HookRunSummary }) {
  const { eventName, sourcePath, status, statusMessage, entries, durationMs } = run;
  const [words, tone] = OUTCOMES[status] ?? [status, ""];
  const name = statusMessage ?? sourcePath.split("/").at(-1) ?? sourcePath;
  return (
    <div class="it">
      <Icon name="hook" tone="fg-hook" />
      <div class="body">
        <div class="hookrun">
          <a class="chip hook" href={pathOf("hooks")}>
            <Icon name="hook" />
            {eventName.charAt(0).toUpperCase() + eventName.slice(1)}
          </a>
          <code title={sourcePath}>{name}</code>
          <span class={`chip ${tone}`}>{words}</span>
          {durationMs !== null && <span>{durationText(durationMs)}</span>}
          {entries.map((entry, index) => (
            <span key={index} class="why1 wraps" dir="auto">
              {entry.text}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}
