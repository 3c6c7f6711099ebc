/** The interface that the kinds of permission requests implement. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Basis } from "../../policy/decide-command.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import type { Cause, DecidedBy, DecisionRequest, Verdict } from "../../store/decisions.ts";
import type {
  KeptCall,
  PermissionAnswer,
  PermissionSubject,
  PresetPermission,
} from "../../tools/permission.ts";
import type { ItemLog } from "../../tools/tool.ts";
import type { DecisionLog } from "./decision-log.ts";
import type { PermissionPolicy } from "./permission-policy.ts";
import type { Questions } from "./questions.ts";

/** The turn of a request, and its dependencies. */
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
  /** Sends clients a warning for the user. */
  readonly warn: (message: string) => void;
  /** Adds a developer message to the next model request. */
  readonly addNote: (text: string) => void;
  readonly endTurn: () => void;
  readonly hooks: PermissionHooks;
  /** The decision of a PreToolUse hook about the call. */
  readonly preset: PresetPermission | null;
  /** The call, if its questions outlive the process; null for any other. */
  readonly call: KeptCall | null;
}

/** PermissionRequest hooks, which may answer in place of clients. */
export interface PermissionHooks {
  /** Null where no hook decides. Not called where a PreToolUse hook wants the user to be asked. */
  answer(subject: PermissionSubject): Promise<HookAnswer | null>;
}

export type HookAnswer =
  | { readonly behavior: "allow" }
  | { readonly behavior: "deny"; readonly message: string };

export interface SubjectKind<S extends PermissionSubject> {
  /** The part of the decision record that depends on the kind. */
  toDecisionRequest(subject: S): Pick<DecisionRequest, "itemId" | "subject">;
  /** Applies the policy and its rules. */
  rule(subject: S, options: PermissionOptions): Promise<Ruling<S>>;
  /** The text for the model when no valid answer arrived. */
  readonly unanswered: string;
  /** Absent where the requesting tool shows the item itself. */
  display?(subject: S, items: ItemLog): ItemDisplay;
}

export type Ruling<S extends PermissionSubject> =
  | {
      readonly kind: "allow";
      readonly basis: Basis;
      readonly answer: Answered<S>;
      /**
       * Creates a question despite the permission, for a hook that wants one; null where the policy allows no
       * questions.
       */
      readonly ask: ((reason: string | null) => PermissionQuestion<S>) | null;
    }
  | {
      readonly kind: "forbid";
      readonly basis: Basis;
      readonly reason: string;
      readonly cause: "escalation" | "policy";
    }
  | { readonly kind: "ask"; readonly question: PermissionQuestion<S>; readonly cause: Cause };

type Answered<S extends PermissionSubject> = PermissionAnswer<S["kind"]>;

/** The server requests that ask clients for permission. */
type Method =
  | "item/commandExecution/requestApproval"
  | "item/fileChange/requestApproval"
  | "item/permissions/requestApproval"
  | "mcpServer/elicitation/request";

/** A question to clients, and the parser of their answers. */
export interface PermissionQuestion<S extends PermissionSubject, M extends Method = Method> {
  readonly method: M;
  params(): ServerRequests[M]["params"];
  /** The result of a client that approves once. */
  readonly accepted: ServerRequests[M]["result"];
  read(result: ServerRequests[M]["result"]): Omit<PermissionOutcome<S>, "by">;
}

/** The outcome of a question. */
export interface PermissionOutcome<S extends PermissionSubject> {
  readonly outcome: Verdict["outcome"];
  readonly by: DecidedBy;
  /** For the decision record: why the request was denied, or the scope of the approval. */
  readonly reason: string | null;
  readonly answer: Answered<S>;
  /** Applies the part of an approval that extends beyond this request. */
  readonly grant?: () => Promise<void>;
}

/** Shows the item of a request while it is decided. */
export interface ItemDisplay {
  /** Called when the policy has not denied the request; nothing is recorded yet. */
  onRuling(): void;
  /** Called when the thread waits for approval, before clients are asked. */
  onWaiting(): void;
  /** Called after clients were notified that the question is resolved. */
  onAnswer(given: Pick<PermissionOutcome<PermissionSubject>, "outcome" | "by">): void;
  /** Called when the request fails. */
  onFailure(): void;
}

export const NO_DISPLAY: ItemDisplay = { onRuling() {}, onWaiting() {}, onAnswer() {}, onFailure() {} };

/** The text for the model when a request fails before a decision. */
export const REQUEST_FAILED = "approval request failed";

export const FOR_SESSION = "for the session";

export function declined(reason: string, cause: "answer" | "escalation" | "policy") {
  return { kind: "declined", reason, cause } as const;
}
