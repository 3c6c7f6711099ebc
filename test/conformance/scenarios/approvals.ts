/** Everything about leave: who is asked for it, when, and what an answer does. */
import type { Scenario } from "../scenario.ts";
import { approvalClientScenarios } from "./approvals-clients.ts";
import { approvalCommandScenarios } from "./approvals-commands.ts";
import { approvalPatchScenarios } from "./approvals-patches.ts";
import { approvalPermissionScenarios } from "./approvals-permissions.ts";
import { approvalPolicyScenarios } from "./approvals-policies.ts";

export const approvalScenarios: readonly Scenario[] = [
  ...approvalCommandScenarios,
  ...approvalPatchScenarios,
  ...approvalPolicyScenarios,
  ...approvalPermissionScenarios,
  ...approvalClientScenarios,
];
