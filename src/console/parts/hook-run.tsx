/** A run of a hook, and what came of it. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { describeRun, eventTitle } from "../text/describe-hook.ts";
import { durationText } from "../text/time.ts";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";

/** `href`: where hooks are described, if there is such a place. */
export function HookRun({ run, href }: { run: HookRunSummary; href: string | null }) {
  const { eventName, sourcePath, status, statusMessage, entries, durationMs } = run;
  const name = statusMessage ?? sourcePath.split("/").at(-1) ?? sourcePath;
  const event = (
    <>
      <Icon name="hook" />
      {eventTitle(eventName)}
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
      <Chip {...describeRun(status)} />
      {durationMs !== null && <span>{durationText(durationMs)}</span>}
      {entries.map((entry, index) => (
        <span key={index} class="why1 wraps" dir="auto">
          <VisibleText text={entry.text} />
        </span>
      ))}
    </div>
  );
}
