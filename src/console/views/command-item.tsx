/** A command: what ran, how it ended, and its output. */
import { useState } from "preact/hooks";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { AnsiText } from "../parts/ansi-text.tsx";
import { CommandEnding } from "../parts/command-ending.tsx";
import type { OpenThread } from "../state/open-thread.ts";
import { durationText } from "../text/time.ts";
import { withoutShell } from "../text/without-shell.ts";
import { VisibleText } from "../ui/visible-text.tsx";

type Command = Extract<ThreadItem, { type: "commandExecution" }>;

interface CommandProps {
  readonly item: Command;
  readonly isOpen: boolean;
  readonly thread: OpenThread;
  readonly turnId: string;
}

/** More is shown on demand. */
const SHOWN_LINES = 40;
const MAX_LINES = 400;
const MAX_LINE = 2000;

export function CommandItem({ item }: CommandProps) {
  const { command, exitCode, durationMs, aggregatedOutput, status, cwd, source } = item;
  const [isWhole, showWhole] = useState(false);
  const lines = (aggregatedOutput ?? "").replace(/\n$/u, "").split("\n");
  const limit = isWhole ? MAX_LINES : SHOWN_LINES;
  // The end says how it went.
  const shown = lines.slice(-limit).map(clip).join("\n");
  const hidden = lines.length - limit;
  return (
    <div class="box">
      <div class="boxh">
        <code class="clip" dir="ltr" title={cwd}>
          <VisibleText text={withoutShell(command)} />
        </code>
        <span class="grow" />
        <CommandEnding status={status} exitCode={exitCode} />
        {durationMs !== null && durationMs > 0 && <span class="dimmer nw">{durationText(durationMs)}</span>}
      </div>
      {shown !== "" && (
        <pre class="out" tabIndex={0} role="region" aria-label="Output" dir="ltr">
          <AnsiText text={shown} />
        </pre>
      )}
      {(hidden > 0 || source === "userShell") && (
        <div class="boxf">
          {source === "userShell" && <span>run by a user</span>}
          {hidden > 0 && !isWhole && (
            <button class="btn plain" type="button" onClick={() => showWhole(true)}>
              Show {Math.min(lines.length, MAX_LINES)} of {lines.length} lines
            </button>
          )}
          {hidden > 0 && isWhole && <span>{hidden} earlier lines are not shown</span>}
        </div>
      )}
    </div>
  );
}

const clip = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line);
