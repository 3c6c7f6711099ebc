// Changes of a thread besides its history: name, metadata, memory mode and read state.

import type { Engine } from "../../engine/engine.ts";
import type {
  GitInfo,
  ThreadMetadataGitInfoUpdateParams,
  ThreadMetadataUpdateParams,
} from "../../protocol/generated/types.ts";
import { changeReadState } from "../../runtime/threads/read-states.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { MetadataPatch, ThreadStore } from "../../store/thread-store.ts";
import { type Handlers, invalidRequest, unwrap, unwrapStored } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import type { ThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import { showStored } from "./stored-threads.ts";

export interface ThreadDetailOptions {
  readonly engine: Engine;
  readonly subscriptions: ThreadSubscriptions;
  readonly notifier: Notifier;
  readonly threadStore: () => Promise<ThreadStore>;
  /** Creates a random id; revisions are compared for equality only. */
  readonly createRevision: () => string;
  /** Called when the name of a thread has changed. */
  readonly onRenamed: (threadId: string) => void;
}

type DetailMethod =
  | "thread/name/set"
  | "thread/metadata/update"
  | "thread/memoryMode/set"
  | "thread/readState/update";

export function createThreadDetailHandlers(options: ThreadDetailOptions): Handlers<DetailMethod> {
  const { engine, subscriptions, notifier } = options;

  function refuseEphemeral(threadId: string): void {
    if (engine.find(threadId)?.view().ephemeral !== true) return;
    throw invalidRequest(`ephemeral thread does not support metadata updates: ${threadId}`);
  }

  /** Archived threads cannot be changed. */
  async function refuseArchived(threadStore: ThreadStore, threadId: string): Promise<void> {
    if (engine.find(threadId) !== undefined) return;
    const entry = await threadStore.read(threadId);
    if (entry === null || entry.archived) {
      throw invalidRequest(`no rollout found for thread id ${threadId}`);
    }
  }

  return {
    async "thread/name/set"(params, { afterResponse }) {
      const threadId = unwrap(parseThreadId(params.threadId));
      const threadName = params.name.trim();
      if (threadName === "") throw invalidRequest("thread name must not be empty");
      refuseEphemeral(threadId);
      const threadStore = await options.threadStore();
      await refuseArchived(threadStore, threadId);
      unwrapStored(await threadStore.rename(threadId, threadName));
      afterResponse(() => {
        notifier.toAll("thread/name/updated", { threadId, threadName });
        options.onRenamed(threadId);
      });
      return {};
    },

    async "thread/metadata/update"(params) {
      const threadId = unwrap(parseThreadId(params.threadId));
      const patch = toPatch(params);
      refuseEphemeral(threadId);
      const threadStore = await options.threadStore();
      return { thread: showStored(engine, unwrapStored(await threadStore.updateMetadata(threadId, patch))) };
    },

    /** Stored and returned for other programs; Heddle itself has no memory feature. */
    async "thread/memoryMode/set"({ threadId: text, mode: memoryMode }) {
      const threadId = unwrap(parseThreadId(text));
      refuseEphemeral(threadId);
      const threadStore = await options.threadStore();
      await refuseArchived(threadStore, threadId);
      unwrapStored(await threadStore.updateMetadata(threadId, { memoryMode }));
      return {};
    },

    async "thread/readState/update"({ threadId: text, operation, expectedRevision }) {
      const threadId = unwrap(parseThreadId(text, "thread id", "invalidParams"));
      const threadStore = await options.threadStore();
      const entry = await threadStore.read(threadId);
      const isLoaded = engine.find(threadId) !== undefined;
      if (entry === null && !isLoaded) throw invalidRequest(`thread not loaded: ${threadId}`);
      if (entry === null) throw invalidRequest("thread read state unavailable");
      const firstUnread = operation.type === "read" ? null : ({ type: "threadStart" } as const);
      const change = { entry, firstUnread, expectedRevision, revision: options.createRevision() };
      const outcome = await changeReadState({ threadStore, engine }, change);
      if (outcome.kind === "unavailable") throw invalidRequest("thread read state unavailable");
      const { kind, readState } = outcome;
      if (kind === "conflict") {
        throw invalidRequest("read state changed", { reason: "readStateConflict", readState });
      }
      notifier.to(subscriptions.of(threadId), "thread/readState/changed", { threadId, readState });
      return { readState };
    },
  };
}

function toPatch({ projectId, gitInfo, daybreakEnabled }: ThreadMetadataUpdateParams): MetadataPatch {
  if (projectId != null && projectId !== "") throw invalidRequest(`project not found: ${projectId}`);
  if (projectId == null && gitInfo == null && daybreakEnabled == null) {
    throw invalidRequest("thread metadata update must include at least one field");
  }
  return {
    ...(gitInfo == null ? {} : { gitInfo: toGitPatch(gitInfo) }),
    ...(projectId == null ? {} : { projectId: null }),
    ...(daybreakEnabled == null ? {} : { daybreakEnabled }),
  };
}

function toGitPatch(wanted: ThreadMetadataGitInfoUpdateParams): Partial<GitInfo> {
  const patch: Partial<GitInfo> = {};
  for (const key of ["sha", "branch", "originUrl"] as const) {
    const value = wanted[key]?.trim() ?? wanted[key];
    if (value === undefined) continue;
    if (value === "") throw invalidRequest(`gitInfo.${key} must not be empty`);
    patch[key] = value;
  }
  if (Object.keys(patch).length === 0) throw invalidRequest("gitInfo must include at least one field");
  return patch;
}
