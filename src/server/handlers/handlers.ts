import { randomBytes, randomUUID } from "node:crypto";
import type { Engine } from "../../engine/engine.ts";
import type { DeviceAccess } from "../../runtime/access/device-access.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { Identity } from "../../runtime/configuration/identity.ts";
import type { ThreadRefusal } from "../../runtime/configuration/thread-refusal.ts";
import type { McpServers } from "../../runtime/mcp/mcp-servers.ts";
import type { Inbox } from "../../runtime/questions/inbox.ts";
import type { QueuedTurns } from "../../runtime/queue/queued-turns.ts";
import type { TurnQueue } from "../../runtime/queue/turn-queue.ts";
import type { OpenSchedules } from "../../runtime/schedules/open-schedules.ts";
import type { Hooks } from "../../runtime/setup/hooks.ts";
import type { ProviderChoice } from "../../runtime/setup/provider-models.ts";
import type { Skills } from "../../runtime/setup/skills.ts";
import type { ThreadService } from "../../runtime/thread-service.ts";
import type { Announcements } from "../../runtime/webhooks/announcements.ts";
import type { Workbench, WorkbenchOptions } from "../../runtime/workbench/open-workbench.ts";
import type { Store } from "../../store/store.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { Handlers } from "../connections/handler.ts";
import { unwrap } from "../connections/handler.ts";
import type { ServerParts } from "../connections/server.ts";
import type { ThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import type { LifecycleSubscriptions } from "../lifecycle/lifecycle-subscriptions.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { createReplays, type Replays } from "../streams/replays.ts";
import { createAccountHandlers } from "./account.ts";
import { type ClientWorkParts, createClientWorkHandlers } from "./client-work.ts";
import { createConfigHandlers, createPermissionHandlers } from "./config.ts";
import { createDiagnosticsHandlers } from "./initialize.ts";
import type { LateHandlers } from "./late-handlers.ts";
import { lazyHandlers } from "./lazy-handlers.ts";
import { withLocalFiles } from "./local-files.ts";
import type { WaitingThreads } from "./stored-threads.ts";
import { createLoadedThreadHandlers, createThreadHandlers } from "./threads.ts";
import { createTurnHandlers } from "./turns.ts";

export interface HandlerParts extends ServerParts, ClientWorkParts {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly subscriptions: ThreadSubscriptions;
  readonly lifecycle: LifecycleSubscriptions;
  readonly threads: ThreadService;
  readonly defaultProvider: () => Promise<ProviderChoice | ThreadRefusal>;
  readonly store: () => Promise<Store>;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly queue: () => Promise<TurnQueue>;
  readonly holdOf: QueuedTurns["holdOf"];
  readonly queueNotice: QueuedTurns["noticeOf"];
  readonly onQueueChange: (listener: (threadId: string) => void) => () => void;
  /** Called when the name of a thread has changed. */
  readonly onRenamed: (threadId: string) => void;
  readonly schedules: () => Promise<OpenSchedules>;
  readonly inbox: () => Promise<Inbox>;
  readonly waitingThreads: (threadId?: string) => Promise<WaitingThreads>;
  readonly closeQuestions: (threadIds: readonly string[]) => Promise<void>;
  readonly createId: () => string;
  readonly skills: () => Promise<Skills>;
  readonly hooks: () => Promise<Hooks>;
  readonly mcp: () => Promise<McpServers>;
  readonly announcements: Announcements;
  readonly identity: Identity;
  readonly cwd: string;
  /** Starts to count events. */
  readonly metrics: () => Promise<Metrics>;
  readonly startedAtMs: number;
  readonly openWorkbench: (options: WorkbenchOptions) => Promise<Workbench>;
  readonly devices: () => Promise<DeviceAccess>;
}

/** All handlers except that of `initialize`. Each row has a handler here or a reason in `unservedMethods`. */
export function createHandlers(given: HandlerParts): LateHandlers {
  const parts = { ...given, replays: createReplays({ ...given, now: () => given.clock.now() }) };
  const { config, engine, connections } = parts;
  parts.threads.onEvent((threadId, event) => {
    if (event.type === "loaded") parts.replays.runAll(threadId);
  });
  const defaultProvider = async () => unwrap(await parts.defaultProvider());
  const gauges = () => ({
    "app.requests.in_flight": [...connections].reduce((sum, { inFlight }) => sum + inFlight, 0),
    ...(engine.loaded().length === 0 ? {} : { "core.threads.live": engine.loaded().length }),
  });
  return {
    ...createDiagnosticsHandlers({ gauges }),
    ...createConfigHandlers(config, async (keys) => (await parts.hooks()).pinTrusted(keys)),
    ...lazyHandlers("models", async () =>
      (await import("./models.ts")).createModelHandlers({
        provider: async () => (await defaultProvider()).provider,
      }),
    ),
    ...createAccountHandlers({ provider: async () => (await defaultProvider()).provider }),
    ...createPermissionHandlers(config),
    ...lazyHandlers("features", async () =>
      (await import("./features.ts")).createFeatureHandlers({ config, engine }),
    ),
    ...lazyHandlers("skills", async () =>
      (await import("./skills.ts")).createSkillsHandlers({ ...parts, ...(await parts.skills()) }),
    ),
    ...lazyHandlers("hooks", async () =>
      (await import("./hooks.ts")).createHooksHandlers({ ...parts, hooks: await parts.hooks() }),
    ),
    ...withLocalFiles(
      parts.env,
      lazyHandlers("files", async () => (await import("./files.ts")).createFileHandlers()),
    ),
    ...lazyHandlers("mcp", async () =>
      (await import("./mcp.ts")).createMcpHandlers({
        ...parts,
        mcp: await parts.mcp(),
        askOf: (threadId) => engine.find(threadId)?.ask ?? null,
      }),
    ),
    ...createClientWorkHandlers(parts),
    ...catalogHandlers,
    ...createThreadHandlers(parts),
    ...createLoadedThreadHandlers(parts),
    ...createTurnHandlers(parts),
    ...createStoredThreadHandlers({ ...parts, createRevision: randomUUID }),
    ...lazyHandlers("thread-work", async () =>
      (await import("./thread-work.ts")).createThreadWorkHandlers(parts),
    ),
    ...lazyHandlers("queue", async () =>
      (await import("./queue.ts")).createQueueHandlers({ ...parts, queue: await parts.queue() }),
    ),
    ...lazyHandlers("queue-overview", async () =>
      (await import("./queue-overview.ts")).createQueueOverviewHandlers(parts),
    ),
    ...lazyHandlers("schedules", async () =>
      (await import("./schedules.ts")).createScheduleHandlers(await parts.schedules()),
    ),
    ...lazyHandlers("wake", async () =>
      (await import("./wake.ts")).createWakeHandlers({ ...parts, randomBytes }),
    ),
    ...lazyHandlers("webhooks", async () => (await import("./webhooks.ts")).createWebhookHandlers(parts)),
    ...lazyHandlers("approvals", async () =>
      (await import("./approvals.ts")).createApprovalHandlers({ ...parts, inbox: await parts.inbox() }),
    ),
    ...lazyHandlers("decisions", async () => (await import("./decisions.ts")).createDecisionHandlers(parts)),
    ...lazyHandlers("activity", async () => (await import("./activity.ts")).createActivityHandlers(parts)),
    ...lazyHandlers("hook-trials", async () =>
      (await import("./hook-trials.ts")).createHookTrialHandlers(parts),
    ),
    ...lazyHandlers("server-status", async () =>
      (await import("./server-status.ts")).createServerStatusHandlers(parts),
    ),
    ...lazyHandlers("devices", async () => (await import("./devices.ts")).createDeviceHandlers(parts)),
    ...lazyHandlers("audit", async () => (await import("./audit.ts")).createAuditHandlers(parts)),
    ...lazyHandlers("lifecycle", async () => (await import("./lifecycle.ts")).createLifecycleHandlers(parts)),
  };
}

/** Handlers for stored threads, whether or not they are loaded. */
function createStoredThreadHandlers(
  parts: HandlerParts & { readonly createRevision: () => string; readonly replays: Replays },
) {
  return {
    ...lazyHandlers("thread-lists", async () =>
      (await import("./thread-lists.ts")).createThreadListHandlers(parts),
    ),
    ...lazyHandlers("thread-pages", async () =>
      (await import("./thread-pages.ts")).createThreadPageHandlers(parts),
    ),
    ...lazyHandlers("thread-details", async () =>
      (await import("./thread-details.ts")).createThreadDetailHandlers(parts),
    ),
    ...lazyHandlers("thread-upkeep", async () =>
      (await import("./thread-upkeep.ts")).createThreadUpkeepHandlers(parts),
    ),
    ...lazyHandlers("thread-revert", async () =>
      (await import("./thread-revert.ts")).createThreadRevertHandlers(parts),
    ),
    ...lazyHandlers("thread-subscribe", async () =>
      (await import("./thread-subscribe.ts")).createThreadSubscribeHandlers(parts),
    ),
    ...lazyHandlers("thread-goals", async () =>
      (await import("./thread-goals.ts")).createThreadGoalHandlers(parts),
    ),
  };
}

/** Static catalogs: Heddle has no plugins and no apps, and the collaboration modes are fixed. */
const catalogHandlers: Handlers<"collaborationMode/list" | "plugin/list" | "app/list"> = {
  "collaborationMode/list": () => ({
    data: [
      { name: "Plan", mode: "plan", model: null, reasoning_effort: "medium" },
      { name: "Default", mode: "default", model: null, reasoning_effort: null },
    ],
  }),
  "plugin/list": () => ({ marketplaces: [], marketplaceLoadErrors: [], featuredPluginIds: [] }),
  "app/list": () => ({ data: [], nextCursor: null }),
};
