/** One item of a turn on a page: what the console opens on demand is in `details` here. */
import type { ThreadItem, UserInput } from "../../protocol/generated/types.ts";
import { describeItem, imagesOf } from "../parts/describe-item.ts";
import { Line } from "../parts/line.tsx";
import { headOfReasoning, type ReasoningItem, textOfReasoning } from "../parts/reasoning.ts";
import { Sender } from "../parts/sender.tsx";
import { readImageData } from "../text/image-data.ts";
import { Markdown } from "../text/markdown.tsx";
import { withBidiMarks } from "../text/visible.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import { PageCommand } from "./page-command.tsx";
import { PageDiff } from "./page-diff.tsx";
import { cutText } from "./page-words.tsx";

export function PageItem({ item, isOpen }: { item: ThreadItem; isOpen: boolean }) {
  switch (item.type) {
    case "userMessage":
      return (
        <Line icon="user" style="user">
          <Sender name={item.sentBy} />
          {item.content.map((part, index) => (
            <UserPart key={index} part={part} />
          ))}
        </Line>
      );
    case "agentMessage":
      return (
        <Line icon="bot">
          <Prose text={item.text} />
          {(item.questions ?? []).map(({ title, options }, index) => (
            <Prose key={index} text={[title, ...(options ?? []).map((option) => `- ${option}`)].join("\n")} />
          ))}
        </Line>
      );
    case "plan":
      return (
        <Line icon="list">
          <Prose text={item.text} />
        </Line>
      );
    case "reasoning":
      return <Reasoning item={item} />;
    case "commandExecution":
      return (
        <Line icon="term">
          <PageCommand item={item} />
        </Line>
      );
    case "fileChange":
      return (
        <Line icon="file">
          {item.changes.map((change, index) => (
            <PageDiff key={index} change={change} />
          ))}
          {item.status !== "completed" && (
            <span class="chip">{item.status === "inProgress" ? "not ended" : item.status}</span>
          )}
        </Line>
      );
    default:
      return <OtherItem item={item} isOpen={isOpen} />;
  }
}

function Prose({ text }: { text: string }) {
  const { text: shown, rest } = cutText(text);
  return (
    <>
      <Markdown text={shown} />
      {rest !== null && <Rest text={rest} />}
    </>
  );
}

export const Rest = ({ text }: { text: string }) => <p class="small dimmer">{text}</p>;

function UserPart({ part }: { part: UserInput }) {
  switch (part.type) {
    case "text": {
      const { text, rest } = cutText(part.text);
      return (
        <>
          <div class="said" dir="auto">
            {withBidiMarks(text)}
          </div>
          {rest !== null && <Rest text={rest} />}
        </>
      );
    }
    case "image":
      return "url" in part ? <PageImage url={part.url} /> : <span class="chip">image</span>;
    case "localImage":
      return <code>{part.path}</code>;
    default:
      return <span class="chip">{"name" in part ? part.name : part.type}</span>;
  }
}

/** In characters of base64. */
const MAX_IMAGE = 4_000_000;

/** An image is a part of the page; what is none, or too large, is said. */
function PageImage({ url }: { url: string }) {
  const image = readImageData(url);
  if (image === null) return <span class="chip">image</span>;
  if (image.base64.length > MAX_IMAGE) return <span class="chip">image, too large for this file</span>;
  return <img class="inline" src={`data:${image.type};base64,${image.base64}`} alt="Of the thread" />;
}

function Reasoning({ item }: { item: ReasoningItem }) {
  const text = textOfReasoning(item);
  if (text.trim() === "") return null;
  return (
    <Line icon="brain">
      <details class="dim">
        <summary>{headOfReasoning(item, false)}</summary>
        <Prose text={text} />
      </details>
    </Line>
  );
}

function OtherItem({ item, isOpen }: { item: ThreadItem; isOpen: boolean }) {
  const { icon, head, state, details } = describeItem(item);
  return (
    <Line icon={icon}>
      <div class="box">
        <div class="boxh">
          <code class="wraps">
            <VisibleText text={head} />
          </code>
          <span class="grow" />
          {state !== null && <span class={`chip ${state === "failed" ? "bad" : ""}`}>{state}</span>}
          {state === null && isOpen && <span class="chip">not ended</span>}
        </div>
        {details !== null && (
          <details>
            <summary class="boxf">Details</summary>
            <pre class="out" tabIndex={0} role="region" aria-label="Details" dir="ltr">
              <VisibleText text={details} />
            </pre>
          </details>
        )}
      </div>
      {imagesOf(item).map((url, index) => (
        <PageImage key={index} url={url} />
      ))}
    </Line>
  );
}
