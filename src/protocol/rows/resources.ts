// All rows, grouped as the reference documentation presents them.

import { accountNotifications, accountRequests, accountServerRequests } from "./account.ts";
import { activityRequests } from "./activity.ts";
import { appNotifications, appRequests } from "./app.ts";
import { approvalNotifications, approvalServerRequests } from "./approval.ts";
import { auditRequests } from "./audit.ts";
import { collaborationRequests } from "./collaboration.ts";
import { commandNotifications, commandRequests } from "./command.ts";
import { configNotifications, configRequests } from "./config.ts";
import { connectionNotifications, connectionRequests } from "./connection.ts";
import { conversationRequests } from "./conversation.ts";
import { decisionRequests } from "./decision.ts";
import { deviceNotifications, deviceRequests } from "./device.ts";
import { dynamicToolServerRequests } from "./dynamic-tool.ts";
import { elicitationServerRequests } from "./elicitation.ts";
import { environmentRequests } from "./environment.ts";
import { featureRequests } from "./feature.ts";
import { fsNotifications, fsRequests } from "./fs.ts";
import { fuzzySearchNotifications, fuzzySearchRequests } from "./fuzzy-search.ts";
import { goalNotifications, goalRequests } from "./goal.ts";
import { guardianNotifications } from "./guardian.ts";
import { hookTrialRequests } from "./hook-trial.ts";
import { hooksNotifications, hooksRequests } from "./hooks.ts";
import { inboxNotifications, inboxRequests } from "./inbox.ts";
import { itemNotifications } from "./item.ts";
import { legacyApprovalServerRequests } from "./legacy-approval.ts";
import { lifecycleNotifications, lifecycleRequests } from "./lifecycle.ts";
import { mcpNotifications, mcpRequests } from "./mcp.ts";
import { modelNotifications, modelRequests } from "./model.ts";
import { permissionRequests } from "./permission.ts";
import { pluginRequests } from "./plugin.ts";
import { processNotifications, processRequests } from "./process.ts";
import { queueNotifications, queueRequests } from "./queue.ts";
import { queueOverviewNotifications, queueOverviewRequests } from "./queue-overview.ts";
import { rateLimitNotifications, rateLimitRequests } from "./rate-limit.ts";
import { requirementRequests } from "./requirement.ts";
import { reviewRequests } from "./review.ts";
import type { NotificationRow, RequestRow, ServerRequestRow } from "./row.ts";
import { scheduleNotifications, scheduleRequests } from "./schedule.ts";
import { serverStatusRequests } from "./server-status.ts";
import { skillsNotifications, skillsRequests } from "./skills.ts";
import { streamNotifications, streamRequests } from "./stream.ts";
import { threadNotifications, threadRequests } from "./thread.ts";
import { threadHistoryNotifications, threadHistoryRequests } from "./thread-history.ts";
import { threadListNotifications, threadListRequests } from "./thread-list.ts";
import { threadSearchRequests } from "./thread-search.ts";
import { threadSettingsNotifications, threadSettingsRequests } from "./thread-settings.ts";
import { threadStartNotifications, threadStartRequests } from "./thread-start.ts";
import { threadSummaryNotifications } from "./thread-summary.ts";
import { threadWorkNotifications, threadWorkRequests } from "./thread-work.ts";
import { tokenUsageNotifications } from "./token-usage.ts";
import { turnNotifications, turnRequests } from "./turn.ts";
import { userQuestionServerRequests } from "./user-question.ts";
import { wakeRequests } from "./wake.ts";
import { webhookRequests } from "./webhook.ts";

export interface ResourceGroup {
  readonly title: string;
  readonly requests?: Readonly<Record<string, RequestRow>>;
  readonly serverRequests?: Readonly<Record<string, ServerRequestRow>>;
  readonly notifications?: Readonly<Record<string, NotificationRow>>;
}

export const resources: readonly ResourceGroup[] = [
  { title: "Connection", requests: connectionRequests, notifications: connectionNotifications },
  {
    title: "Threads",
    requests: { ...threadStartRequests, ...threadRequests },
    notifications: { ...threadStartNotifications, ...threadNotifications },
  },
  {
    title: "Thread settings",
    requests: threadSettingsRequests,
    notifications: { ...threadSettingsNotifications, ...tokenUsageNotifications },
  },
  {
    title: "Finding threads",
    requests: { ...threadListRequests, ...threadSearchRequests },
    notifications: { ...threadListNotifications, ...threadSummaryNotifications },
  },
  { title: "History", requests: threadHistoryRequests, notifications: threadHistoryNotifications },
  { title: "Resumable events", requests: streamRequests, notifications: streamNotifications },
  {
    title: "Turns",
    requests: { ...turnRequests, ...reviewRequests },
    notifications: turnNotifications,
  },
  { title: "Items", notifications: itemNotifications },
  {
    title: "Queue",
    requests: { ...queueRequests, ...queueOverviewRequests },
    notifications: { ...queueNotifications, ...queueOverviewNotifications },
  },
  { title: "Schedules", requests: scheduleRequests, notifications: scheduleNotifications },
  { title: "Waking a thread", requests: wakeRequests },
  { title: "Webhooks", requests: webhookRequests },
  { title: "Goals", requests: goalRequests, notifications: goalNotifications },
  {
    title: "Hooks",
    requests: { ...hooksRequests, ...hookTrialRequests },
    notifications: hooksNotifications,
  },
  { title: "Lifecycle", requests: lifecycleRequests, notifications: lifecycleNotifications },
  {
    title: "Approvals",
    requests: { ...inboxRequests, ...decisionRequests, ...auditRequests },
    serverRequests: { ...approvalServerRequests, ...legacyApprovalServerRequests },
    notifications: { ...approvalNotifications, ...inboxNotifications, ...guardianNotifications },
  },
  {
    title: "Questions to the client",
    serverRequests: {
      ...userQuestionServerRequests,
      ...dynamicToolServerRequests,
      ...elicitationServerRequests,
    },
  },
  { title: "Other work on a thread", requests: threadWorkRequests, notifications: threadWorkNotifications },
  { title: "Files", requests: fsRequests, notifications: fsNotifications },
  { title: "File search", requests: fuzzySearchRequests, notifications: fuzzySearchNotifications },
  { title: "Commands", requests: commandRequests, notifications: commandNotifications },
  { title: "Processes", requests: processRequests, notifications: processNotifications },
  {
    title: "Configuration",
    requests: { ...configRequests, ...requirementRequests, ...permissionRequests, ...featureRequests },
    notifications: configNotifications,
  },
  {
    title: "Models",
    requests: { ...modelRequests, ...collaborationRequests },
    notifications: modelNotifications,
  },
  { title: "MCP servers", requests: mcpRequests, notifications: mcpNotifications },
  { title: "Skills", requests: skillsRequests, notifications: skillsNotifications },
  {
    title: "Plugins and apps",
    requests: { ...pluginRequests, ...appRequests },
    notifications: appNotifications,
  },
  { title: "Activity of all threads", requests: activityRequests },
  { title: "State of the server", requests: serverStatusRequests },
  { title: "Environments", requests: environmentRequests },
  {
    title: "Account",
    requests: { ...accountRequests, ...rateLimitRequests },
    serverRequests: accountServerRequests,
    notifications: { ...accountNotifications, ...rateLimitNotifications },
  },
  { title: "Paired devices", requests: deviceRequests, notifications: deviceNotifications },
  { title: "First generation", requests: conversationRequests },
];
