// A thread as it is stored and shown.

import { ReasoningEffort } from "./mode.ts";
import {
  absolutePath,
  array,
  boolean,
  choice,
  define,
  experimental,
  heddle,
  i32,
  i64,
  nullable,
  object,
  optional,
  string,
  tagged,
  unit,
  uuid,
  variants,
} from "./shape.ts";
import { Turn } from "./turn-record.ts";

export const ThreadMemoryMode = define("ThreadMemoryMode", choice("enabled", "disabled"));
export const GitInfo = define(
  "GitInfo",
  object({ sha: nullable(string()), branch: nullable(string()), originUrl: nullable(string()) }),
);
export const SubAgentSource = define(
  "SubAgentSource",
  variants({
    review: unit,
    compact: unit,
    thread_spawn: object({
      parent_thread_id: uuid(),
      depth: i32(),
      agent_path: nullable(string()),
      agent_nickname: nullable(string()),
      agent_role: nullable(string()),
    }),
    memory_consolidation: unit,
    other: string(),
  }),
);
export const SessionSource = define(
  "SessionSource",
  variants({
    cli: unit,
    vscode: unit,
    exec: unit,
    appServer: unit,
    custom: string(),
    subAgent: SubAgentSource,
    unknown: unit,
  }),
);
export const SortDirection = define("SortDirection", choice("asc", "desc"));
export const ThreadEnvironment = define(
  "ThreadEnvironment",
  object({ environmentId: string(), cwd: string(), runtimeWorkspaceRoots: array(string()) }),
);
export const ThreadExtra = define("ThreadExtra", object({}));
export const ThreadSectionAppearance = define(
  "ThreadSectionAppearance",
  object({ icon: nullable(string()), color: nullable(string()) }),
);
export const ThreadSection = define(
  "ThreadSection",
  object({ id: string(), name: string(), appearance: nullable(ThreadSectionAppearance) }),
);
export const ThreadHistoryMode = define("ThreadHistoryMode", choice("legacy", "paginated"));
export const ThreadActiveFlag = define("ThreadActiveFlag", choice("waitingOnApproval", "waitingOnUserInput"));
export const ThreadStatus = define(
  "ThreadStatus",
  tagged("type", {
    notLoaded: {},
    idle: {},
    systemError: {},
    active: { activeFlags: array(ThreadActiveFlag) },
  }),
);
export const ThreadSource = define("ThreadSource", string());
export const ThreadWaiting = define(
  "ThreadWaiting",
  tagged(
    "reason",
    { question: { decisionId: string() }, usageLimit: { attempt: i32(), message: string() } },
    { turnId: string(), since: i64(), until: i64() },
  ),
  "What a turn waits for that outlives the server: a question, by its id in `approval/list`, or the end of a usage limit, with the provider's message and how many limits there were in a row.",
);
export const Thread = define(
  "Thread",
  object({
    id: string(),
    environments: experimental("thread.environments", nullable(array(ThreadEnvironment))),
    extra: experimental("thread.extra", nullable(ThreadExtra)),
    sessionId: string(),
    forkedFromId: nullable(string()),
    parentThreadId: nullable(string()),
    preview: string(),
    ephemeral: boolean(),
    section: nullable(ThreadSection),
    sectionEnteredAt: nullable(i64()),
    projectId: nullable(string()),
    historyMode: ThreadHistoryMode,
    modelProvider: string(),
    model: nullable(string()),
    reasoningEffort: nullable(ReasoningEffort),
    createdAt: i64(),
    updatedAt: i64(),
    recencyAt: nullable(i64()),
    status: ThreadStatus,
    path: nullable(string()),
    cwd: absolutePath(),
    cliVersion: string(),
    originator: nullable(string()),
    source: SessionSource,
    owner: heddle("The subject of the token of who created it; absent without one.", optional(string())),
    canAcceptDirectInput: experimental("thread.canAcceptDirectInput", nullable(boolean())),
    threadSource: nullable(ThreadSource),
    agentNickname: nullable(string()),
    agentRole: nullable(string()),
    gitInfo: nullable(GitInfo),
    name: nullable(string()),
    daybreakEnabled: experimental("thread.daybreakEnabled", nullable(boolean())),
    waiting: heddle(
      "What the turn in progress waits for; absent if it waits for nothing that outlives the server.",
      optional(nullable(ThreadWaiting)),
    ),
    turns: array(Turn),
  }),
);
export const TurnsPage = define(
  "TurnsPage",
  object({ data: array(Turn), nextCursor: nullable(string()), backwardsCursor: nullable(string()) }),
);
