/** Every scenario there is. */
import type { Scenario } from "../scenario.ts";
import { catalogScenarios } from "./catalogs.ts";
import { clientMetadataScenarios } from "./client-metadata.ts";
import { configReadScenarios } from "./config-read.ts";
import { configRequirementsScenarios } from "./config-requirements.ts";
import { configWriteScenarios } from "./config-write.ts";
import { experimentalGateScenarios } from "./experimental-gate.ts";
import { featureScenarios } from "./features.ts";
import { initializeScenarios } from "./initialize.ts";
import { listenScenarios } from "./listen.ts";
import { loggingScenarios } from "./logging.ts";
import { requestScenarios } from "./requests.ts";
import { shutdownScenarios } from "./shutdown.ts";
import { skillScenarios } from "./skills.ts";
import { strictConfigScenarios } from "./strict-config.ts";
import { websocketScenarios } from "./websocket.ts";
import { wireScenarios } from "./wire.ts";

export const scenarios: readonly Scenario[] = [
  ...wireScenarios,
  ...initializeScenarios,
  ...experimentalGateScenarios,
  ...requestScenarios,
  ...websocketScenarios,
  ...shutdownScenarios,
  ...listenScenarios,
  ...strictConfigScenarios,
  ...configReadScenarios,
  ...configWriteScenarios,
  ...configRequirementsScenarios,
  ...catalogScenarios,
  ...featureScenarios,
  ...skillScenarios,
  ...clientMetadataScenarios,
  ...loggingScenarios,
];
