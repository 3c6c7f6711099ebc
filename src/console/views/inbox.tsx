/** Everything that waits for a person, in any thread, and what was answered lately. */
import { useRef } from "preact/hooks";
import type { Approval } from "../../protocol/generated/types.ts";
import { answered, findQuestion, inboxFailure, isInboxLoaded, openQuestions } from "../state/inbox.ts";
import { pathOf, place } from "../state/router.ts";
import { now } from "../state/server.ts";
import { allThreads, findThreadRow, type ThreadRow, titleOfThread } from "../state/threads.ts";
import { wordsOfQuestion, wordsOfVerdict } from "../text/describe-question.ts";
import { ageOf, clockTime } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { Empty, Failure, Loading } from "../ui/states.tsx";
import { VisibleText } from "../ui/visible-text.tsx";
import { QuestionPane } from "./question.tsx";
import { useListKeys } from "./use-list-keys.ts";

export function Inbox() {
  const { id } = place.value;
  const shown = useStableOrder(openQuestions.value, id);
  const limited = allThreads.value.filter(({ waiting }) => waiting?.reason === "usageLimit");
  useListKeys(
    "inbox",
    [...shown, ...answered.value].map((approval) => approval.id),
  );
  const selected = id === null ? undefined : findQuestion(id);
  return (
    <>
      <h1 class="sr">Inbox</h1>
      <div class="panes two" data-open={id === null ? "list" : "detail"}>
        <div class="pane list-pane">
          <div class="head">
            <h2 class="h1">Inbox</h2>
            <span class="sub">{summary(shown)}</span>
          </div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Questions">
            {inboxFailure.value !== null && <Failure message={inboxFailure.value} />}
            {!isInboxLoaded.value && <Loading />}
            {isInboxLoaded.value && shown.length + limited.length + answered.value.length === 0 && (
              <NothingWaits />
            )}
            {shown.length > 0 && <Group title="Waiting for you" count={shown.length} />}
            <ul class="list">
              {shown.map((approval) => (
                <li key={approval.id}>
                  <QuestionItem approval={approval} isCurrent={approval.id === id} />
                </li>
              ))}
            </ul>
            {limited.length > 0 && <Group title="Blocked, nothing to answer" count={limited.length} />}
            <ul class="list">
              {limited.map((row) => (
                <li key={row.id}>
                  <LimitItem row={row} />
                </li>
              ))}
            </ul>
            {answered.value.length > 0 && <Group title="Answered lately" />}
            <ul class="list">
              {answered.value.map((approval) => (
                <li key={approval.id}>
                  <AnsweredItem approval={approval} isCurrent={approval.id === id} />
                </li>
              ))}
            </ul>
          </div>
        </div>
        <div class="pane detail-pane">
          {selected === undefined ? (
            <Empty
              icon="inbox"
              title={id === null ? "Nothing is selected" : "This question is not known any more"}
            >
              <p>Choose a question on the left. With J and K you move, with Enter you open.</p>
            </Empty>
          ) : (
            <QuestionPane key={selected.id} approval={selected} next={nextAfter(shown, selected.id)} />
          )}
        </div>
      </div>
    </>
  );
}

/** New questions come at the end, and the one that is open stays where it was until another is opened. */
function useStableOrder(current: readonly Approval[], id: string | null): readonly Approval[] {
  const kept = useRef<readonly string[]>([]);
  const ids = new Set(current.map((approval) => approval.id));
  const order = [
    ...kept.current.filter((each) => ids.has(each) || (each === id && findQuestion(each) !== undefined)),
    ...current.filter((approval) => !kept.current.includes(approval.id)).map((approval) => approval.id),
  ];
  kept.current = order;
  return order.flatMap((each) => findQuestion(each) ?? []);
}

function nextAfter(shown: readonly Approval[], id: string): string | null {
  const others = shown.filter((approval) => approval.id !== id && approval.status === "open");
  const at = shown.findIndex((approval) => approval.id === id);
  return (others.find((approval) => shown.indexOf(approval) > at) ?? others[0])?.id ?? null;
}

function summary(shown: readonly Approval[]): string {
  const [oldest] = shown.filter(({ status }) => status === "open");
  if (oldest === undefined) return "nothing waits";
  return `${shown.length} waiting · oldest ${ageOf(oldest.requestedAt, now.value)}`;
}

function Group({ title, count }: { title: string; count?: number }) {
  return (
    <h2 class="grouph">
      {title} {count !== undefined && <span class="dimmer">{count}</span>}
    </h2>
  );
}

function QuestionItem({ approval, isCurrent }: { approval: Approval; isCurrent: boolean }) {
  const { short, icon, isCode } = wordsOfQuestion(approval);
  const isOpen = approval.status === "open";
  return (
    <a class="item" href={pathOf("inbox", approval.id)} aria-current={isCurrent ? "true" : undefined}>
      <Icon name={isOpen ? icon : "ok"} tone={isOpen ? "fg-warn" : "dimmer"} />
      <span class={`t ${isCode ? "mono" : ""}`}>
        <VisibleText text={firstLine(short)} />
      </span>
      <span class="age">{ageOf(approval.requestedAt, now.value)}</span>
      <span class="m">{isOpen ? placeOf(approval) : wordsOfVerdict(approval)}</span>
    </a>
  );
}

function AnsweredItem({ approval, isCurrent }: { approval: Approval; isCurrent: boolean }) {
  const { short, isCode } = wordsOfQuestion(approval);
  const isApproved = approval.verdict?.outcome === "approved";
  const at = approval.verdict?.decidedAt ?? approval.requestedAt;
  return (
    <a class="item" href={pathOf("inbox", approval.id)} aria-current={isCurrent ? "true" : undefined}>
      <Icon name={isApproved ? "ok" : "x"} tone={isApproved ? "fg-ok" : "fg-bad"} />
      <span class={`t ${isCode ? "mono" : ""}`}>
        <VisibleText text={firstLine(short)} />
      </span>
      <span class="age">{clockTime(at, now.value)}</span>
      <span class="m">{wordsOfVerdict(approval)}</span>
    </a>
  );
}

function LimitItem({ row }: { row: ThreadRow }) {
  const { waiting } = row;
  if (waiting?.reason !== "usageLimit") return null;
  return (
    <a class="item" href={pathOf("threads", row.id)}>
      <Icon name="clock" tone="dimmer" />
      <span class="t">Waits for the usage limit, continues at {clockTime(waiting.until, now.value)}</span>
      <span class="age">{ageOf(waiting.since, now.value)}</span>
      <span class="m">
        <bdi>{titleOfThread(row)}</bdi> · attempt {waiting.attempt} of 5
      </span>
    </a>
  );
}

function NothingWaits() {
  return (
    <Empty icon="ok" title="Nothing waits for you">
      <p>Questions of all threads appear here: commands, changes, tools, forms.</p>
      <a class="btn" href={pathOf("threads")}>
        Look at the threads
      </a>
    </Empty>
  );
}

const firstLine = (text: string): string => text.trim().split("\n", 1)[0] ?? "";

function placeOf({ threadId, cwd }: Approval): string {
  const row = findThreadRow(threadId);
  return [row === undefined ? null : titleOfThread(row), cwd ?? row?.cwd]
    .filter((part) => part != null)
    .join(" · ");
}
