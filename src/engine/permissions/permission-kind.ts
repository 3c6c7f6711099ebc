/** What differs between requests for permission, by what they are about. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Basis } from "../../policy/decide-command.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import type { DecidedBy, DecisionRequest, Verdict } from "../../store/decisions.ts";
import type { PermissionAnswer, PermissionSubject, PresetPermission } from "../../tools/permission.ts";
import type { ItemLog } from "../../tools/tool.ts";
import type { DecisionLog } from "./decision-log.ts";
import type { PermissionPolicy } from "./permission-policy.ts";
import type { Questions } from "./questions.ts";

/** The turn that something is asked for in. */
export interface PermissionOptions {
  readonly threadId: string;
  readonly turnId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly policy: PermissionPolicy;
  readonly questions: Pick<Questions, "open">;
  readonly decisions: DecisionLog;
  readonly items: ItemLog;
  /** Shows clients what the user should know. */
  readonly warn: (message: string) => void;
  /** Adds a message of the developer to what the model is told next. */
  readonly addNote: (text: string) => void;
  readonly endTurn: () => void;
  readonly hooks: PermissionHooks;
  /** What a hook has said of the call beforehand. */
  readonly preset: PresetPermission | null;
}

/** Hooks that answer in place of the clients. */
export interface PermissionHooks {
  /** Null where they leave the answer to others. Not asked where it is a hook that wants somebody asked. */
  answer(subject: PermissionSubject): Promise<HookAnswer | null>;
}

export type HookAnswer =
  | { readonly behavior: "allow" }
  | { readonly behavior: "deny"; readonly message: string };

export interface SubjectKind<S extends PermissionSubject> {
  /** What is recorded of the subject. */
  toDecisionRequest(subject: S): Pick<DecisionRequest, "itemId" | "subject">;
  /** What the policy and its rules say. */
  rule(subject: S, options: PermissionOptions): Promise<Ruling<S>>;
  /** What the model is told when no valid answer came. */
  readonly unanswered: string;
  /** Left out where whoever asks shows everything itself. */
  display?(subject: S, items: ItemLog): ItemDisplay;
}

export type Ruling<S extends PermissionSubject> =
  | {
      readonly kind: "allow";
      readonly basis: Basis;
      readonly answer: Answered<S>;
      /** How clients are asked all the same; null where nobody may be asked. */
      readonly ask: ((reason: string | null) => Question<S>) | null;
    }
  | {
      readonly kind: "forbid";
      readonly basis: Basis;
      readonly reason: string;
      readonly cause: "escalation" | "policy";
    }
  | { readonly kind: "ask"; readonly question: Question<S> };

type Answered<S extends PermissionSubject> = PermissionAnswer<S["kind"]>;

/** The requests with which clients are asked for permission. */
type Method =
  | "item/commandExecution/requestApproval"
  | "item/fileChange/requestApproval"
  | "item/permissions/requestApproval"
  | "mcpServer/elicitation/request";

/** How clients are asked, and how their answers are read. */
export interface Question<S extends PermissionSubject, M extends Method = Method> {
  readonly method: M;
  params(): ServerRequests[M]["params"];
  /** The answer of a client that says yes, this one time. */
  readonly accepted: ServerRequests[M]["result"];
  read(result: ServerRequests[M]["result"]): Omit<Settlement<S>, "by">;
}

/** What came of a question. */
export interface Settlement<S extends PermissionSubject> {
  readonly outcome: Verdict["outcome"];
  readonly by: DecidedBy;
  /** For the record: why it is not approved, or how far the approval goes. */
  readonly reason: string | null;
  readonly answer: Answered<S>;
  /** Keeps what a yes grants beyond this one time. */
  readonly grant?: () => Promise<void>;
}

/** How the item of a subject shows on the way to a decision. */
export interface ItemDisplay {
  /** It is not forbidden; nothing is recorded yet. */
  onRuling(): void;
  /** The thread waits, and the clients are not asked yet. */
  onWaiting(): void;
  /** Everybody knows that the question is resolved. */
  onAnswer(given: Pick<Settlement<PermissionSubject>, "outcome" | "by">): void;
  /** Something went wrong. */
  onFailure(): void;
}

export const NO_DISPLAY: ItemDisplay = { onRuling() {}, onWaiting() {}, onAnswer() {}, onFailure() {} };

/** What the model is told when something went wrong on the way to a decision. */
export const REQUEST_FAILED = "approval request failed";

export const FOR_SESSION = "for the session";

export function declined(reason: string, cause: "answer" | "escalation" | "policy") {
  return { kind: "declined", reason, cause } as const;
}
