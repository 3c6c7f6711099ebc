/** The facts beside a thread: what it waits for, its context, what changed, which hooks ran. */
import { openOf } from "../state/inbox.ts";
import type { OpenThread } from "../state/open-thread.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import type { TurnModel } from "../state/thread-model.ts";
import type { ThreadRow } from "../state/threads.ts";
import { costText } from "../text/amounts.ts";
import { wordsOfQuestion } from "../text/describe-question.ts";
import { parseDiff } from "../text/diff.ts";
import { clockTime, countText, durationText } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { pathOfItem } from "./item-link.tsx";

export function ThreadFacts({ thread, row }: { thread: OpenThread; row: ThreadRow | undefined }) {
  void thread.versionOf("thread").value;
  void thread.structure.value;
  const { model } = thread;
  const latest = model.turns.at(-1);
  return (
    <div class="insp">
      <Waits threadId={thread.threadId} row={row} />
      {model.usage !== null ? (
        <Context usage={model.usage} />
      ) : (
        row?.totalTokens != null && (
          <section>
            <h3>Tokens</h3>
            <p>{countText(row.totalTokens)} in all</p>
          </section>
        )
      )}
      {row?.cost != null && (
        <section>
          <h3>Cost</h3>
          <p title="All its tokens at the price of its present model">about {costText(row.cost)}</p>
        </section>
      )}
      {latest !== undefined && <Changes threadId={thread.threadId} cwd={row?.cwd ?? ""} turn={latest} />}
      {latest !== undefined && <Hooks turn={latest} />}
      {row !== undefined && (
        <section>
          <h3>Runs on</h3>
          <dl class="kv">
            <dt>Folder</dt>
            <dd dir="ltr">{row.cwd}</dd>
            {row.gitInfo?.branch != null && (
              <>
                <dt>Branch</dt>
                <dd>{row.gitInfo.branch}</dd>
              </>
            )}
            {row.owner !== undefined && (
              <>
                <dt>Owner</dt>
                <dd>
                  <bdi>{row.owner}</bdi>
                </dd>
              </>
            )}
            <dt>Model</dt>
            <dd>
              {row.model ?? "as configured"} ({row.modelProvider})
            </dd>
            <dt>Started</dt>
            <dd>{clockTime(row.createdAt, now.value)}</dd>
          </dl>
        </section>
      )}
    </div>
  );
}

function Waits({ threadId, row }: { threadId: string; row: ThreadRow | undefined }) {
  const questions = openOf(threadId);
  const waiting = row?.waiting ?? null;
  if (questions.length === 0 && waiting === null) return null;
  return (
    <section>
      <h3>Waits for</h3>
      {questions.map((approval) => (
        <a key={approval.id} class="note warn" href={pathOf("inbox", approval.id)}>
          <Icon name="warn" />
          <span class="clip">You: {wordsOfQuestion(approval).short}</span>
        </a>
      ))}
      {waiting?.reason === "usageLimit" && (
        <div class="note">
          <Icon name="clock" />
          <span>
            The usage limit, until {clockTime(waiting.until, now.value)}. Attempt {waiting.attempt} of 5.
          </span>
        </div>
      )}
    </section>
  );
}

function Context({
  usage: { total, last, modelContextWindow },
}: {
  usage: NonNullable<OpenThread["model"]["usage"]>;
}) {
  const share =
    modelContextWindow === null
      ? null
      : Math.min(100, Math.round((100 * last.totalTokens) / modelContextWindow));
  const cached =
    total.inputTokens === 0 ? 0 : Math.round((100 * total.cachedInputTokens) / total.inputTokens);
  return (
    <section>
      <h3>Context</h3>
      {share !== null && (
        <>
          <div class="row">
            <span class="grow">
              {countText(last.totalTokens)} of {countText(modelContextWindow ?? 0)} tokens
            </span>
            <span class="dimmer">{share} %</span>
          </div>
          <div class="meter" role="img" aria-label={`${share} percent of the context is used`}>
            <svg width="100%" height="4" aria-hidden="true">
              <rect width={`${share}%`} height="4" class="f1" />
            </svg>
          </div>
        </>
      )}
      <dl class="kv">
        <dt>In, cached</dt>
        <dd>
          {countText(total.inputTokens)}, {cached} %
        </dd>
        <dt>Out</dt>
        <dd>{countText(total.outputTokens)}</dd>
      </dl>
    </section>
  );
}

interface ChangesProps {
  readonly threadId: string;
  readonly cwd: string;
  readonly turn: TurnModel;
}

function Changes({ threadId, cwd, turn }: ChangesProps) {
  const changes = turn.entries.flatMap((entry) =>
    entry.kind === "item" && entry.item.type === "fileChange" && entry.item.status === "completed"
      ? entry.item.changes.map((change) => ({ change, key: entry.id }))
      : [],
  );
  if (changes.length === 0) return null;
  return (
    <section>
      <h3>Changed in this turn</h3>
      <ul>
        {changes.map(({ change: { path, diff, kind }, key }, index) => {
          const { added, removed } = parseDiff(
            diff,
            kind.type === "add" ? "add" : kind.type === "delete" ? "del" : null,
          );
          return (
            <li key={index} class="row">
              <a href={pathOfItem(threadId, key)} class="clip grow" dir="ltr" title={path}>
                {within(path, cwd)}
              </a>
              <span class="fg-ok">+{added}</span>
              {removed > 0 && <span class="fg-bad">−{removed}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A path of the folder without the folder. */
const within = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;

function Hooks({ turn }: { turn: TurnModel }) {
  const runs = turn.entries.flatMap((entry) => (entry.kind === "hook" ? [entry.run] : []));
  if (runs.length === 0) return null;
  const took = runs.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  const blocked = runs.filter(({ status }) => status === "blocked").length;
  return (
    <section>
      <h3>Hooks in this turn</h3>
      <dl class="kv">
        <dt>Runs</dt>
        <dd>
          {runs.length}, {durationText(took)} in all
        </dd>
        {blocked > 0 && (
          <>
            <dt>Blocked</dt>
            <dd>{blocked}</dd>
          </>
        )}
      </dl>
    </section>
  );
}
