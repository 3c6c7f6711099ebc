/** Facts about a thread as a whole, folded from its rollout one line at a time. */

import {
  countMember,
  nameMember,
  objectMember,
  smallObjectMember,
  textMember,
} from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { GitInfo, SessionSource, ThreadTokenUsage } from "../../protocol/generated/types.ts";
import type { RolloutLine } from "./line.ts";
import { readSource } from "./session-source.ts";
import { storedUserText } from "./stored-item.ts";
import { readTokenCount } from "./turn-values.ts";

export interface ThreadFacts {
  readonly id: string;
  readonly sessionId: string;
  readonly forkedFromId: string | null;
  readonly parentThreadId: string | null;
  readonly historyMode: "paginated" | "legacy";
  readonly cwd: string;
  readonly source: SessionSource;
  readonly threadSource: string | null;
  readonly originator: string;
  readonly cliVersion: string;
  /** The subject of the token of who created it; null without one. */
  readonly owner: string | null;
  readonly agentNickname: string | null;
  readonly agentRole: string | null;
  readonly gitInfo: GitInfo | null;
  readonly baseInstructions: string | null;
  readonly dynamicTools: unknown;
  /** The permission ceiling of a spawned thread, in the form of its writer; null for other threads. */
  readonly ceiling: JsonObject | null;
  readonly modelProvider: string;
  readonly model: string | null;
  readonly reasoningEffort: string | null;
  /** The last applied settings, with the key names of the file. */
  readonly settings: JsonObject | null;
  /** In wire form. */
  readonly goal: JsonObject | null;
  /** The text of the first user message. */
  readonly preview: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly tokenUsage: ThreadTokenUsage | null;
  /** The turn that began last; null if a later message belongs to none. */
  readonly turnId: string | null;
  /** The turn of the last token usage. */
  readonly usageTurnId: string | null;
}

/** Facts that only the fold and segmented stores need. */
export interface FoldedFacts extends ThreadFacts {
  /** The generation of the newest segment; null if its first line does not contain it. */
  readonly generation: number | null;
  /** Lines of a sub-agent before this ordinal are its parent's, and only its model sees them. */
  readonly ownHistoryStart: number;
}

export const noFacts: FoldedFacts = {
  id: "",
  sessionId: "",
  forkedFromId: null,
  parentThreadId: null,
  historyMode: "legacy",
  generation: null,
  ownHistoryStart: 0,
  cwd: "",
  source: "vscode",
  threadSource: null,
  originator: "",
  cliVersion: "",
  owner: null,
  agentNickname: null,
  agentRole: null,
  gitInfo: null,
  baseInstructions: null,
  dynamicTools: null,
  ceiling: null,
  modelProvider: "",
  model: null,
  reasoningEffort: null,
  settings: null,
  goal: null,
  preview: "",
  createdAtMs: 0,
  updatedAtMs: 0,
  tokenUsage: null,
  turnId: null,
  usageTurnId: null,
};

export function foldFacts(facts: FoldedFacts, line: RolloutLine): FoldedFacts {
  const time = Date.parse(line.timestamp);
  const updatedAtMs = Number.isNaN(time) ? facts.updatedAtMs : time;
  const changed = changedFacts(facts, line);
  return changed === null ? { ...facts, updatedAtMs } : { ...facts, updatedAtMs, ...changed };
}

function changedFacts(
  facts: FoldedFacts,
  { type, payload, timestamp }: RolloutLine,
): Partial<FoldedFacts> | null {
  switch (type) {
    case "session_meta":
      return fromMeta(facts, payload, timestamp);
    case "turn_context":
      return {
        cwd: nameMember(payload, "cwd") ?? facts.cwd,
        model: nameMember(payload, "model") ?? facts.model,
        reasoningEffort: nameMember(payload, "effort"),
      };
    case "event_msg":
      return fromEvent(facts, payload);
    default:
      return null;
  }
}

function fromMeta(facts: ThreadFacts, meta: JsonObject, timestamp: string): Partial<FoldedFacts> {
  const id = nameMember(meta, "id") ?? facts.id;
  const createdAt = Date.parse(textMember(meta, "timestamp") ?? timestamp);
  // A revert continues in a new file, and the thread keeps its creation time.
  const createdAtMs = id === facts.id || Number.isNaN(createdAt) ? facts.createdAtMs : createdAt;
  const git = objectMember(meta, "git");
  return {
    id,
    sessionId: nameMember(meta, "session_id") ?? id,
    forkedFromId: nameMember(meta, "forked_from_id"),
    parentThreadId: nameMember(meta, "parent_thread_id"),
    historyMode: textMember(meta, "history_mode") === "paginated" ? "paginated" : "legacy",
    generation: "heddle_generation" in meta ? countMember(meta, "heddle_generation") : null,
    ownHistoryStart: countMember(meta, "subagent_history_start_ordinal"),
    cwd: nameMember(meta, "cwd") ?? facts.cwd,
    ...originOf(meta),
    gitInfo: git === null ? null : readGit(git),
    ...longFacts(meta),
    modelProvider: nameMember(meta, "model_provider") ?? facts.modelProvider,
    createdAtMs,
  };
}

/** Facts that are too long for an index, and are read from the first line of the file when needed. */
export function longFacts(
  meta: JsonObject,
): Pick<ThreadFacts, "baseInstructions" | "dynamicTools" | "ceiling"> {
  return {
    baseInstructions: textMember(objectMember(meta, "base_instructions") ?? {}, "text"),
    dynamicTools: meta["dynamic_tools"] ?? null,
    ceiling: objectMember(meta, "heddle_ceiling"),
  };
}

/** The program that created the thread, and its purpose. */
function originOf(meta: JsonObject) {
  return {
    source: readSource(meta["source"]),
    threadSource: nameMember(meta, "thread_source"),
    originator: nameMember(meta, "originator") ?? "",
    cliVersion: nameMember(meta, "cli_version") ?? "",
    owner: nameMember(meta, "heddle_owner"),
    agentNickname: nameMember(meta, "agent_nickname"),
    agentRole: nameMember(meta, "agent_role") ?? nameMember(meta, "agent_type"),
  };
}

function readGit(git: JsonObject): GitInfo {
  return {
    sha: nameMember(git, "commit_hash"),
    branch: nameMember(git, "branch"),
    originUrl: nameMember(git, "repository_url"),
  };
}

function fromEvent(facts: ThreadFacts, event: JsonObject): Partial<ThreadFacts> | null {
  switch (textMember(event, "type")) {
    case "token_count":
      return { tokenUsage: readTokenCount(event) ?? facts.tokenUsage, usageTurnId: facts.turnId };
    case "task_started":
    case "turn_started":
      return { turnId: nameMember(event, "turn_id") };
    case "thread_settings_applied":
      return fromSettings(facts, smallObjectMember(event, "thread_settings") ?? {});
    case "thread_goal_updated":
      return fromGoal(facts, smallObjectMember(event, "goal"));
    case "user_message":
      return facts.preview === "" ? { preview: toPreview(textMember(event, "message") ?? "") } : null;
    case "item_completed": {
      const item = objectMember(event, "item");
      const isFirst = facts.preview === "" && item !== null && textMember(item, "type") === "UserMessage";
      return isFirst ? { preview: toPreview(storedUserText(item)) } : null;
    }
    default:
      return null;
  }
}

/** A list shows the beginning of the message; the turns have all of it. */
const MAX_PREVIEW = 16 * 1024;

function toPreview(text: string): string {
  return text.length <= MAX_PREVIEW ? text : text.slice(0, MAX_PREVIEW).replace(/[\ud800-\udbff]$/, "");
}

/** A thread that begins with a goal has its objective as the preview. */
function fromGoal({ preview }: ThreadFacts, goal: JsonObject | null): Partial<ThreadFacts> {
  const objective = goal === null ? null : textMember(goal, "objective");
  return { goal, ...(preview === "" && objective !== null ? { preview: toPreview(objective) } : {}) };
}

function fromSettings(facts: ThreadFacts, settings: JsonObject): Partial<ThreadFacts> {
  const mode = objectMember(objectMember(settings, "collaboration_mode") ?? {}, "settings") ?? {};
  return {
    settings,
    cwd: nameMember(settings, "cwd") ?? facts.cwd,
    model: nameMember(settings, "model") ?? facts.model,
    modelProvider: nameMember(settings, "model_provider_id") ?? facts.modelProvider,
    reasoningEffort: nameMember(settings, "reasoning_effort") ?? nameMember(mode, "reasoning_effort"),
  };
}
