/** A run of a hook, and what came of it. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { durationText } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";

const OUTCOMES = {
  running: ["runs", "run"],
  completed: ["done", ""],
  failed: ["failed", "bad"],
  blocked: ["blocked", "bad"],
  stopped: ["stopped the turn", "warn"],
} as const;

/** `href`: where hooks are described, if there is such a place. */
export function HookRun({ run, href }: { run: HookRunSummary; href: string | null }) {
  const { eventName, sourcePath, status, statusMessage, entries, durationMs } = run;
  const [words, tone] = OUTCOMES[status] ?? [status, ""];
  const name = statusMessage ?? sourcePath.split("/").at(-1) ?? sourcePath;
  const event = (
    <>
      <Icon name="hook" />
      {eventName.charAt(0).toUpperCase() + eventName.slice(1)}
    </>
  );
  return (
    <div class="hookrun">
      {href === null ? (
        <span class="chip hook">{event}</span>
      ) : (
        <a class="chip hook" href={href}>
          {event}
        </a>
      )}
      <code title={sourcePath}>{name}</code>
      <span class={`chip ${tone}`}>{words}</span>
      {durationMs !== null && <span>{durationText(durationMs)}</span>}
      {entries.map((entry, index) => (
        <span key={index} class="why1 wraps" dir="auto">
          {entry.text}
        </span>
      ))}
    </div>
  );
}
