/** A run of a hook at the place where it ran, and what came of it. */
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { pathOf } from "../state/router.ts";
import { describeRun, eventTitle } from "../text/describe-hook.ts";
import { durationText } from "../text/time.ts";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";

export function HookRow({ run }: { run: HookRunSummary }) {
  const { eventName, sourcePath, status, statusMessage, entries, durationMs } = run;
  const name = statusMessage ?? sourcePath.split("/").at(-1) ?? sourcePath;
  return (
    <div class="it">
      <Icon name="hook" tone="fg-hook" />
      <div class="body">
        <div class="hookrun">
          <a class="chip hook" href={pathOf("hooks")}>
            <Icon name="hook" />
            {eventTitle(eventName)}
          </a>
          <code title={sourcePath}>{name}</code>
          <Chip {...describeRun(status)} />
          {durationMs !== null && <span>{durationText(durationMs)}</span>}
          {entries.map((entry, index) => (
            <span key={index} class="why1 wraps" dir="auto">
              <VisibleText text={entry.text} />
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}
