/** A command on a page: what ran, where, how it ended, and its output. */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { AnsiText } from "../parts/ansi-text.tsx";
import { CommandEnding } from "../parts/command-ending.tsx";
import { durationText } from "../text/time.ts";
import { withoutShell } from "../text/without-shell.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import { cutLines } from "./page-words.tsx";

type Command = Extract<ThreadItem, { type: "commandExecution" }>;

export function PageCommand({ item }: { item: Command }) {
  const { command, cwd, exitCode, durationMs, aggregatedOutput, status, source } = item;
  const { text, rest } = cutLines(aggregatedOutput ?? "");
  const notes = [source === "userShell" ? "run by a user" : null, rest].filter((note) => note !== null);
  return (
    <div class="box">
      <div class="boxh">
        <code class="wraps" dir="ltr" title={cwd}>
          <VisibleText text={withoutShell(command)} />
        </code>
        <span class="grow" />
        {exitCode === 0 && <span class="dimmer nw">exit 0</span>}
        <CommandEnding status={status} exitCode={exitCode} />
        {durationMs !== null && durationMs > 0 && <span class="dimmer nw">{durationText(durationMs)}</span>}
      </div>
      {text !== "" && (
        <pre class="out" tabIndex={0} role="region" aria-label="Output" dir="ltr">
          <AnsiText text={text} />
        </pre>
      )}
      {notes.length > 0 && (
        <div class="boxf">
          {notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </div>
      )}
    </div>
  );
}
