/** Requests for permission to change files. */
import type { FileChangeSubject, PermissionAnswer } from "../../tools/permission.ts";
import {
  declined,
  FOR_SESSION,
  type PermissionOptions,
  type PermissionQuestion,
  REQUEST_FAILED,
  type SubjectKind,
} from "./permission-kind.ts";

const APPROVED: PermissionAnswer<"fileChange"> = { kind: "approved" };

export const fileChangePermission: SubjectKind<FileChangeSubject> = {
  unanswered: REQUEST_FAILED,
  toDecisionRequest: ({ item, paths }) => ({ itemId: item.id, subject: { kind: "fileChange", paths } }),
  async rule(subject, options) {
    const decision = options.policy.fileChange(subject.paths);
    switch (decision.kind) {
      case "run":
        return {
          kind: "allow",
          basis: decision.basis,
          answer: APPROVED,
          ask: options.policy.mayAsk ? (reason) => askAbout(subject, options, reason) : null,
        };
      case "forbid":
        return { ...decision, basis: { kind: "policy" }, cause: "policy" };
      case "ask":
        return { kind: "ask", question: askAbout(subject, options, null), cause: decision.cause };
    }
  },
  display({ item }, items) {
    let isShown = false;
    const begin = (): void => {
      if (!isShown) items.begin(item);
      isShown = true;
    };
    return { onRuling: begin, onWaiting() {}, onAnswer() {}, onFailure: begin };
  },
};

function askAbout(
  { item, paths }: FileChangeSubject,
  { threadId, turnId, clock, policy }: PermissionOptions,
  reason: string | null,
): PermissionQuestion<FileChangeSubject, "item/fileChange/requestApproval"> {
  return {
    method: "item/fileChange/requestApproval",
    params: () => ({
      threadId,
      turnId,
      itemId: item.id,
      startedAtMs: clock.now(),
      reason,
      grantRoot: null,
    }),
    accepted: { decision: "accept" },
    read({ decision }) {
      if (decision === "cancel") return { outcome: "cancelled", reason: null, answer: { kind: "cancelled" } };
      if (decision === "decline")
        return { outcome: "denied", reason: null, answer: declined("patch rejected by user", "answer") };
      if (decision === "accept") return { outcome: "approved", reason: null, answer: APPROVED };
      return {
        outcome: "approved",
        reason: FOR_SESSION,
        answer: APPROVED,
        grant: async () => policy.grantFiles(paths),
      };
    },
  };
}
