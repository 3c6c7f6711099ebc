/** One item of a turn. */
import { useState } from "preact/hooks";
import type { ThreadItem, UserInput } from "../../protocol/generated/types.ts";
import { describeItem } from "../parts/describe-item.ts";
import { Line } from "../parts/line.tsx";
import { headOfReasoning, type ReasoningItem, textOfReasoning } from "../parts/reasoning.ts";
import { Sender } from "../parts/sender.tsx";
import type { OpenThread } from "../state/open-thread.ts";
import type { ItemEntry } from "../state/thread-model.ts";
import { Markdown } from "../text/markdown.tsx";
import { withBidiMarks } from "../text/visible.ts";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { CommandItem } from "./command-item.tsx";
import { DiffBox } from "./diff-box.tsx";
import { InlineImage } from "./inline-image.tsx";

interface ItemProps {
  readonly entry: ItemEntry;
  readonly thread: OpenThread;
}

export function ItemRow({ entry, thread }: ItemProps) {
  const { item, isOpen } = entry;
  switch (item.type) {
    case "userMessage":
      return <UserMessage {...item} />;
    case "agentMessage":
      return (
        <Line icon="bot">
          <Markdown text={item.text} isOpen={isOpen} />
          {isOpen && <span class="caret" />}
        </Line>
      );
    case "reasoning":
      return <Reasoning item={item} isOpen={isOpen} />;
    case "plan":
      return (
        <Line icon="list">
          <Markdown text={item.text} isOpen={isOpen} />
        </Line>
      );
    case "commandExecution":
      return (
        <Line icon="term">
          <CommandItem item={item} isOpen={isOpen} thread={thread} turnId={entry.turnId} />
        </Line>
      );
    case "fileChange":
      return (
        <Line icon="file">
          {item.changes.map((change) => (
            <DiffBox key={change.path} change={change} />
          ))}
          {item.status !== "completed" && <span class="chip">{PATCH[item.status]}</span>}
        </Line>
      );
    default:
      return <OtherItem item={item} />;
  }
}

const PATCH = { inProgress: "being applied", failed: "failed", declined: "declined", completed: "" } as const;

function UserMessage({ content, sentBy }: Extract<ThreadItem, { type: "userMessage" }>) {
  return (
    <Line icon="user" style="user">
      <Sender name={sentBy} />
      {content.map((part, index) => (
        <UserPart key={index} part={part} />
      ))}
    </Line>
  );
}

function UserPart({ part }: { part: UserInput }) {
  switch (part.type) {
    case "text":
      return (
        <div class="said" dir="auto">
          {withBidiMarks(part.text)}
        </div>
      );
    case "image":
      return "url" in part ? <InlineImage url={part.url} /> : <span class="chip">image</span>;
    case "localImage":
      return <code>{part.path}</code>;
    default:
      return <span class="chip">{"name" in part ? part.name : part.type}</span>;
  }
}

function Reasoning({ item, isOpen }: { item: ReasoningItem; isOpen: boolean }) {
  const [isShown, show] = useState(false);
  const text = textOfReasoning(item);
  return (
    <Line icon="brain">
      <button type="button" class="one dim" aria-expanded={isShown} onClick={() => show(!isShown)}>
        <span class="clip">{headOfReasoning(item, isOpen)}</span>
        <Icon name={isShown ? "down" : "right"} />
      </button>
      {isShown && (
        <div class="dim">
          <Markdown text={text} isOpen={isOpen} />
        </div>
      )}
    </Line>
  );
}

/** Tools, searches, images and what later versions add: a head, and its parts as text. */
function OtherItem({ item }: { item: ThreadItem }) {
  const [isShown, show] = useState(false);
  const { icon, head, state, details } = describeItem(item);
  return (
    <Line icon={icon}>
      <div class="box">
        <div class="boxh">
          <code class="clip">
            <VisibleText text={head} />
          </code>
          <span class="grow" />
          {state !== null && <span class={`chip ${state === "failed" ? "bad" : ""}`}>{state}</span>}
          {details !== null && (
            <button class="btn plain" type="button" aria-expanded={isShown} onClick={() => show(!isShown)}>
              {isShown ? "Hide" : "Show"}
            </button>
          )}
        </div>
        {isShown && details !== null && (
          <pre class="out" tabIndex={0} role="region" aria-label="Details">
            <VisibleText text={details} />
          </pre>
        )}
      </div>
    </Line>
  );
}
