import type {
  ApprovalsReviewer,
  AskForApproval,
  ReasoningEffort,
  ReasoningSummary,
  SandboxPolicy,
} from "../protocol/generated/types.ts";

/** How a thread's turns run. Each turn may change them, for itself and those that follow. */
export interface ThreadSettings {
  readonly model: string;
  readonly modelProvider: string;
  readonly cwd: string;
  readonly approvalPolicy: AskForApproval;
  readonly approvalsReviewer: ApprovalsReviewer;
  readonly sandbox: SandboxPolicy;
  /** The named profile that the sandbox follows from; null where a mode was chosen instead. */
  readonly permissionProfile: string | null;
  readonly effort: ReasoningEffort | null;
  readonly summary: ReasoningSummary | null;
  readonly serviceTier: string | null;
  readonly baseInstructions: string | null;
  readonly developerInstructions: string | null;
}
