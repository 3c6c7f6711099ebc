import { aiSdkAppServer } from "./checks/ai-sdk-app-server.ts";
import { aiSdkCodexCli } from "./checks/ai-sdk-codex-cli.ts";
import { codexAcp } from "./checks/codex-acp.ts";
import { codexSdk } from "./checks/codex-sdk.ts";
import { codexTui } from "./checks/codex-tui.ts";
import { openaiCodex } from "./checks/openai-codex.ts";
import type { Client } from "./client.ts";

export const clients: readonly Client[] = [
  codexTui,
  codexSdk,
  aiSdkCodexCli,
  aiSdkAppServer,
  codexAcp,
  openaiCodex,
];
