/** A question at its place in the thread. */
import type { Approval } from "../../protocol/generated/types.ts";
import { guard, lackOf } from "../state/rights.ts";
import { pathOf } from "../state/router.ts";
import { now } from "../state/server.ts";
import { type AnswerKey, answersOf } from "../text/answers.ts";
import { describeCause, wordsOfQuestion } from "../text/describe-question.ts";
import { ageOf } from "../text/time.ts";
import { Icon } from "../ui/icon.tsx";
import { Note } from "../ui/note.tsx";
import { InvisibleWarning, VisibleText } from "../ui/visible-text.tsx";
import { QuestionForm } from "./question-form.tsx";
import { useAnswer } from "./use-answer.ts";

/** The other answers are on the page of the question. */
const SHORT: readonly AnswerKey[] = ["allowOnce", "allowInThread", "decline"];

export function QuestionCard({ approval }: { approval: Approval }) {
  const answering = useAnswer(approval);
  const { title } = wordsOfQuestion(approval);
  const lack = lackOf("approval/answer");
  const choices = answersOf(approval);
  return (
    <div class="it">
      <Icon name="warn" tone="fg-warn" />
      <div class="body">
        <div class="ask" role="group" aria-label="Waiting for you">
          <div class="boxh">
            <Icon name="warn" />
            {title}
            <span class="grow" />
            <span>{ageOf(approval.requestedAt, now.value)}</span>
          </div>
          <div class="in">
            {approval.command !== null && (
              <>
                <InvisibleWarning text={approval.command} />
                <pre class="cmd" dir="ltr">
                  <VisibleText text={approval.command} />
                </pre>
              </>
            )}
            {approval.paths !== null && <code class="wraps">{approval.paths.join("\n")}</code>}
            {describeCause(approval).map((sentence) => (
              <p key={sentence} class="small dim wraps">
                {sentence}
              </p>
            ))}
            {lack !== null && <p class="small dim">{lack}</p>}
            {answering.failure !== null && (
              <Note tone="bad" isAlert>
                Your answer was not used: {answering.failure}
              </Note>
            )}
            {choices.length === 0 ? (
              <QuestionForm approval={approval} answering={answering} />
            ) : (
              <div class="row wrap choose">
                {choices
                  .filter(({ key }) => SHORT.includes(key))
                  .map((choice) => (
                    <button
                      key={choice.key}
                      class={`btn ${choice.key === "allowOnce" ? "primary yes" : choice.isRefusal ? "danger" : ""}`}
                      type="button"
                      {...guard("approval/answer", {
                        title: choice.does,
                        isDisabled: answering.pending !== null,
                      })}
                      onClick={() => answering.choose(choice)}
                    >
                      {choice.label}
                    </button>
                  ))}
                <a class="btn plain" href={pathOf("inbox", approval.id)}>
                  More answers…
                </a>
              </div>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}
