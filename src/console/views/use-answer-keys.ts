/** The keys that answer a question. */
import { useEffect, useRef } from "preact/hooks";
import type { Approval } from "../../protocol/generated/types.ts";
import { lackOf } from "../state/rights.ts";
import { go, pathOf } from "../state/router.ts";
import { type AnswerChoice, answersOf } from "../text/answers.ts";
import { notify } from "../ui/announce.tsx";
import { isOnControl } from "../ui/keys.ts";
import { useKeys } from "../ui/use-keys.ts";
import type { Answering } from "./use-answer.ts";
import { focusDetail } from "./use-list-keys.ts";

/** Keys do nothing for this time after another question came into view. */
const GRACE_MS = 400;

export function useAnswerKeys(approval: Approval, answering: Answering, next: string | null): void {
  const isReady = useRef(false);
  const isOpen = approval.status === "open";
  useEffect(() => {
    isReady.current = false;
    const timer = setTimeout(() => {
      isReady.current = true;
    }, GRACE_MS);
    return () => clearTimeout(timer);
  }, [approval.id]);
  useKeys({
    openThread: () => go(pathOf("threads", approval.threadId)),
    open({ target }) {
      if (isOnControl(target)) return;
      if (isOpen || next === null) focusDetail();
      else go(pathOf("inbox", next));
    },
    ...Object.fromEntries(answersOf(approval).map((choice) => [choice.key, answer(choice)])),
  });

  function answer(choice: AnswerChoice): (event: KeyboardEvent) => void {
    return ({ repeat, shiftKey }) => {
      if (!isOpen || repeat || shiftKey || !isReady.current) return;
      const lack = lackOf("approval/answer");
      if (lack === null) answering.choose(choice);
      else notify(lack);
    };
  }
}
