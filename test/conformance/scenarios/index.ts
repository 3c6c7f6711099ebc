/** Every scenario there is. */
import type { Scenario } from "../scenario.ts";
import { approvalScenarios } from "./approvals.ts";
import { backgroundTerminalScenarios } from "./background-terminals.ts";
import { catalogScenarios } from "./catalogs.ts";
import { clientMetadataScenarios } from "./client-metadata.ts";
import { commandExecScenarios } from "./command-exec.ts";
import { compactionScenarios } from "./compaction.ts";
import { configReadScenarios } from "./config-read.ts";
import { configRequirementsScenarios } from "./config-requirements.ts";
import { configWriteScenarios } from "./config-write.ts";
import { environmentScenarios } from "./environments.ts";
import { experimentalGateScenarios } from "./experimental-gate.ts";
import { factScenarios } from "./facts.ts";
import { featureScenarios } from "./features.ts";
import { fsWatchScenarios } from "./fs-watch.ts";
import { fuzzySearchScenarios } from "./fuzzy-search.ts";
import { hookScenarios } from "./hooks.ts";
import { hooksListScenarios } from "./hooks-list.ts";
import { initializeScenarios } from "./initialize.ts";
import { injectItemsScenarios } from "./inject-items.ts";
import { inputScenarios } from "./input.ts";
import { interruptScenarios } from "./interrupts.ts";
import { itemScenarios } from "./items.ts";
import { legacyScenarios } from "./legacy.ts";
import { listenScenarios } from "./listen.ts";
import { loggingScenarios } from "./logging.ts";
import { mcpScenarios } from "./mcp.ts";
import { mcpOauthScenarios } from "./mcp-oauth.ts";
import { mcpTurnScenarios } from "./mcp-turns.ts";
import { modelNoticeScenarios } from "./model-notices.ts";
import { patchScenarios } from "./patches.ts";
import { processScenarios } from "./process.ts";
import { rawEventScenarios } from "./raw-events.ts";
import { requestScenarios } from "./requests.ts";
import { reviewScenarios } from "./review.ts";
import { rulesScenarios } from "./rules.ts";
import { sandboxScenarios } from "./sandbox.ts";
import { severalClientScenarios } from "./several-clients.ts";
import { shellScenarios } from "./shell.ts";
import { shellCommandScenarios } from "./shell-command.ts";
import { shutdownScenarios } from "./shutdown.ts";
import { skillScenarios } from "./skills.ts";
import { statusScenarios } from "./status.ts";
import { steeringScenarios } from "./steering.ts";
import { streamScenarios } from "./streams.ts";
import { strictConfigScenarios } from "./strict-config.ts";
import { threadArchiveScenarios } from "./thread-archive.ts";
import { threadDeleteScenarios } from "./thread-delete.ts";
import { threadForkScenarios } from "./thread-fork.ts";
import { threadGoalScenarios } from "./thread-goals.ts";
import { threadListScenarios } from "./thread-list.ts";
import { threadLoadedScenarios } from "./thread-loaded.ts";
import { threadNameScenarios } from "./thread-names.ts";
import { threadPageScenarios } from "./thread-pages.ts";
import { threadQueueScenarios } from "./thread-queue.ts";
import { threadReadScenarios } from "./thread-read.ts";
import { threadResumeScenarios } from "./thread-resume.ts";
import { threadRevertScenarios } from "./thread-revert.ts";
import { threadSearchScenarios } from "./thread-search.ts";
import { threadSettingsScenarios } from "./thread-settings.ts";
import { threadWarningScenarios } from "./thread-warnings.ts";
import { timeScenarios } from "./time.ts";
import { toolScenarios } from "./tools.ts";
import { turnErrorScenarios } from "./turn-errors.ts";
import { turnRequestScenarios } from "./turn-requests.ts";
import { turnScenarios } from "./turns.ts";
import { waitingScenarios } from "./waiting.ts";
import { websocketScenarios } from "./websocket.ts";
import { wireScenarios } from "./wire.ts";

export const scenarios: readonly Scenario[] = [
  ...wireScenarios,
  ...initializeScenarios,
  ...legacyScenarios,
  ...experimentalGateScenarios,
  ...requestScenarios,
  ...waitingScenarios,
  ...factScenarios,
  ...websocketScenarios,
  ...shutdownScenarios,
  ...listenScenarios,
  ...strictConfigScenarios,
  ...configReadScenarios,
  ...configWriteScenarios,
  ...configRequirementsScenarios,
  ...rulesScenarios,
  ...catalogScenarios,
  ...featureScenarios,
  ...skillScenarios,
  ...hookScenarios,
  ...hooksListScenarios,
  ...mcpScenarios,
  ...mcpOauthScenarios,
  ...mcpTurnScenarios,
  ...clientMetadataScenarios,
  ...loggingScenarios,
  ...turnScenarios,
  ...turnRequestScenarios,
  ...shellScenarios,
  ...patchScenarios,
  ...interruptScenarios,
  ...steeringScenarios,
  ...rawEventScenarios,
  ...timeScenarios,
  ...threadWarningScenarios,
  ...turnErrorScenarios,
  ...streamScenarios,
  ...modelNoticeScenarios,
  ...severalClientScenarios,
  ...reviewScenarios,
  ...compactionScenarios,
  ...injectItemsScenarios,
  ...shellCommandScenarios,
  ...statusScenarios,
  ...threadSettingsScenarios,
  ...environmentScenarios,
  ...threadArchiveScenarios,
  ...threadDeleteScenarios,
  ...threadForkScenarios,
  ...threadGoalScenarios,
  ...threadListScenarios,
  ...threadLoadedScenarios,
  ...threadNameScenarios,
  ...threadPageScenarios,
  ...threadQueueScenarios,
  ...threadReadScenarios,
  ...threadResumeScenarios,
  ...threadRevertScenarios,
  ...threadSearchScenarios,
  ...sandboxScenarios,
  ...itemScenarios,
  ...inputScenarios,
  ...toolScenarios,
  ...commandExecScenarios,
  ...approvalScenarios,
  ...backgroundTerminalScenarios,
  ...processScenarios,
  ...fuzzySearchScenarios,
  ...fsWatchScenarios,
];
