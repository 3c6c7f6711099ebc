// Queries of the first generation of the protocol.

import { free, request } from "./row.ts";
import { anyOf, choice, define, nullable, object, path, string, unit, uuid, variants } from "./shape.ts";
import { SubAgentSource } from "./thread-record.ts";

export const GetConversationSummaryParams = define(
  "GetConversationSummaryParams",
  anyOf(object({ rolloutPath: string() }), object({ conversationId: uuid() })),
);
export const InternalSessionSource = define(
  "InternalSessionSource",
  choice("memory_consolidation", "guardian"),
);
export const LegacySessionSource = define(
  "LegacySessionSource",
  variants({
    cli: unit,
    vscode: unit,
    exec: unit,
    mcp: unit,
    custom: string(),
    internal: InternalSessionSource,
    subagent: SubAgentSource,
    unknown: unit,
  }),
);
export const ConversationGitInfo = define(
  "ConversationGitInfo",
  object({ sha: nullable(string()), branch: nullable(string()), origin_url: nullable(string()) }),
);
export const ConversationSummary = define(
  "ConversationSummary",
  object({
    conversationId: uuid(),
    path: string(),
    preview: string(),
    timestamp: nullable(string()),
    updatedAt: nullable(string()),
    modelProvider: string(),
    cwd: string(),
    cliVersion: string(),
    source: LegacySessionSource,
    gitInfo: nullable(ConversationGitInfo),
  }),
);
export const GetConversationSummaryResponse = define(
  "GetConversationSummaryResponse",
  object({ summary: ConversationSummary }),
);
export const GitDiffToRemoteParams = define("GitDiffToRemoteParams", object({ cwd: path() }));
export const GitDiffToRemoteResponse = define(
  "GitDiffToRemoteResponse",
  object({ sha: string(), diff: string() }),
);

export const conversationRequests = {
  getConversationSummary: request({
    summary: "Reads a summary of a stored thread; of the first generation of the protocol.",
    stability: "stable",
    scope: "operate",
    params: GetConversationSummaryParams,
    result: GetConversationSummaryResponse,
    order: free,
    idempotent: true,
    handlers: "thread-lists",
  }),
  gitDiffToRemote: request({
    summary:
      "Reads the difference between a work tree and its remote; of the first generation of the protocol.",
    stability: "stable",
    scope: "operate",
    params: GitDiffToRemoteParams,
    result: GitDiffToRemoteResponse,
    order: free,
    idempotent: true,
  }),
};
