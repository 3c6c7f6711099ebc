/** One question: what is asked, why, and the answers with what each of them does. */
import type { Approval } from "../../protocol/generated/types.ts";
import { guard, lackOf } from "../state/rights.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { findThreadRow, titleOfThread } from "../state/threads.ts";
import { type AnswerKey, answersOf } from "../text/answers.ts";
import { describeCause, wordsOfQuestion, wordsOfVerdict } from "../text/describe-question.ts";
import { clockTime } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { labelOf } from "../ui/key-table.ts";
import { Note } from "../ui/note.tsx";
import { InvisibleWarning, VisibleText } from "../ui/visible-text.tsx";
import { DiffBox } from "./diff-box.tsx";
import { QuestionForm } from "./question-form.tsx";
import { type Answering, useAnswer } from "./use-answer.ts";
import { useAnswerKeys } from "./use-answer-keys.ts";

export function QuestionPane({ approval, next }: { approval: Approval; next: string | null }) {
  const { threadId } = approval;
  const row = findThreadRow(threadId);
  const answering = useAnswer(approval);
  useAnswerKeys(approval, answering, next);
  return (
    <>
      <div class="head">
        <a class="btn plain icon back" href={pathOf("inbox")} aria-label="Back to the list">
          <Icon name="left" />
        </a>
        <span class="sub">
          <a href={pathOf("threads", threadId)}>
            <bdi>{row === undefined ? "The thread" : titleOfThread(row)}</bdi>
          </a>
          {approval.cwd !== null && ` · ${approval.cwd}`} · asked {clockTime(approval.requestedAt, now.value)}
        </span>
        <span class="grow" />
        <a
          class="btn plain desk"
          href={pathOf("threads", threadId)}
          aria-keyshortcuts={labelOf("openThread")}
        >
          Open thread <kbd aria-hidden="true">{labelOf("openThread")}</kbd>
        </a>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Question">
        <QuestionBody approval={approval} answering={answering} />
      </div>
      {approval.status === "open" && answersOf(approval).length > 0 && (
        <ActionBar approval={approval} answering={answering} />
      )}
    </>
  );
}

export function QuestionBody({ approval, answering }: { approval: Approval; answering: Answering }) {
  const { title } = wordsOfQuestion(approval);
  const { command, changes } = approval;
  const causes = describeCause(approval);
  return (
    <article class="q full">
      <h2>{title}</h2>
      {command !== null && (
        <>
          <InvisibleWarning text={command} />
          <pre class="cmd" dir="ltr" tabIndex={0} aria-label="Command">
            <span class="p" aria-hidden="true">
              ${" "}
            </span>
            <VisibleText text={command} />
          </pre>
        </>
      )}
      {(changes ?? []).map((change) => (
        <DiffBox key={change.path} change={change} />
      ))}
      <Facts approval={approval} />
      {causes.length > 0 && (
        <section class="why">
          <h3>Why am I asked?</h3>
          {causes.map((sentence) => (
            <p key={sentence}>
              <VisibleText text={sentence} />
            </p>
          ))}
        </section>
      )}
      {approval.status === "open" ? (
        <OpenAnswers approval={approval} answering={answering} />
      ) : (
        <Verdict approval={approval} />
      )}
    </article>
  );
}

function Verdict({ approval }: { approval: Approval }) {
  const { verdict } = approval;
  return (
    <p class="note" role="status">
      <Icon name={verdict?.outcome === "approved" ? "ok" : "x"} />
      {wordsOfVerdict(approval)}
      {verdict !== null && `, ${clockTime(verdict.decidedAt, now.value)}`}
      {verdict?.reason != null && ` · ${verdict.reason}`}
    </p>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const { cwd, paths, changes, server, tool } = approval;
  return (
    <dl class="kv">
      {cwd !== null && <Fact name="Folder" value={cwd} />}
      {changes === null && paths !== null && paths.length > 0 && (
        <Fact name="Files" value={paths.join("\n")} />
      )}
      {server !== null && <Fact name="Server" value={server} />}
      {tool !== null && <Fact name="Tool" value={tool} />}
      <Permissions approval={approval} />
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code dir="ltr" class="wraps">
          <VisibleText text={value} />
        </code>
      </dd>
    </>
  );
}

/** What is asked for beyond the sandbox, as the request has it. */
function Permissions({ approval: { request } }: { approval: Approval }) {
  const { permissions, additionalPermissions, networkApprovalContext } = (request?.params ?? {}) as {
    readonly permissions?: unknown;
    readonly additionalPermissions?: unknown;
    readonly networkApprovalContext?: { readonly host: string } | null;
  };
  const wanted = permissions ?? additionalPermissions ?? null;
  return (
    <>
      {networkApprovalContext != null && <Fact name="Network" value={networkApprovalContext.host} />}
      {wanted !== null && <Fact name="Asks for" value={JSON.stringify(wanted, null, 1)} />}
    </>
  );
}

function OpenAnswers({ approval, answering }: { approval: Approval; answering: Answering }) {
  const choices = answersOf(approval);
  const lack = lackOf("approval/answer");
  const { failure, asked } = answering;
  return (
    <section>
      <h3 class="sr">Answer</h3>
      {lack !== null && (
        <p class="note warn">
          <Icon name="key" />
          {lack}
        </p>
      )}
      {failure !== null && (
        <Note tone="bad" isAlert>
          Your answer was not used: {failure}
        </Note>
      )}
      {choices.length === 0 ? (
        <QuestionForm approval={approval} answering={answering} />
      ) : (
        <div class="answers" role="group" aria-label="Answers">
          {choices.map((choice) => (
            <button
              key={choice.key}
              type="button"
              class={choice.isRefusal ? "no" : ""}
              aria-keyshortcuts={labelOf(choice.key)}
              {...guard("approval/answer", { isDisabled: answering.pending !== null })}
              onClick={() => answering.choose(choice)}
            >
              <kbd aria-hidden="true">{labelOf(choice.key)}</kbd>
              <b>
                {asked === choice.key ? "Press again to confirm: " : ""}
                {choice.label} {choice.code !== undefined && <code>{choice.code}</code>}
              </b>
              <span class="does">{answering.pending === choice.decision ? "Sending…" : choice.does}</span>
            </button>
          ))}
        </div>
      )}
      <p class="small dimmer">
        {approval.until === null
          ? "Nothing happens until somebody answers."
          : `No answer means no: the question is declined ${clockTime(approval.until, now.value)}.`}{" "}
        Answers are recorded.
      </p>
    </section>
  );
}

/** The usual answers at the bottom of a phone. */
function ActionBar({ approval, answering }: { approval: Approval; answering: Answering }) {
  const choices = answersOf(approval);
  const find = (key: AnswerKey) => choices.find((choice) => choice.key === key);
  return (
    <div class="actionbar" role="group" aria-label="Usual answers">
      {["decline" as const, "allowOnce" as const].map((key) => {
        const choice = find(key);
        if (choice === undefined) return null;
        return (
          <button
            key={key}
            class={`btn ${choice.isRefusal ? "danger" : "primary"}`}
            type="button"
            {...guard("approval/answer", { isDisabled: answering.pending !== null })}
            onClick={() => answering.choose(choice)}
          >
            {choice.label}
          </button>
        );
      })}
    </div>
  );
}
