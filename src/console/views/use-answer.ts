/** Sends the answer to a question, and says what became of it. */

import { useState } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import type { Approval } from "../../protocol/generated/types.ts";
import { answer } from "../state/inbox.ts";
import { client } from "../state/server.ts";
import type { AnswerChoice, AnswerKey } from "../text/answers.ts";
import { wordsOfVerdict } from "../text/describe-question.ts";
import { announce } from "../ui/announce.tsx";

export interface Answering {
  readonly pending: unknown;
  readonly failure: string | null;
  /** The choice that is to be confirmed. */
  readonly asked: AnswerKey | null;
  send(decision: unknown): void;
  choose(choice: AnswerChoice): void;
}

/** Nothing is shown as answered before the server says so. */
export function useAnswer({ id }: Approval): Answering {
  const [pending, setPending] = useState<unknown>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [asked, setAsked] = useState<AnswerKey | null>(null);
  function send(decision: unknown): void {
    const current = client.peek();
    if (current === null || pending !== null) return;
    setPending(decision);
    setFailure(null);
    answer(current, id, decision).then(
      (approval) => {
        setPending(null);
        announce(wordsOfVerdict(approval));
      },
      (error: unknown) => {
        setPending(null);
        setFailure(messageOf(error));
      },
    );
  }
  return {
    pending,
    failure,
    asked,
    send,
    choose(choice) {
      if (choice.asksAgain === true && asked !== choice.key) return setAsked(choice.key);
      setAsked(null);
      send(choice.decision);
    },
  };
}
