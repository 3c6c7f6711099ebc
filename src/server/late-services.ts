/** Services that most servers never use, each loaded on first use. */

import { randomBytes, randomUUID } from "node:crypto";
import { logFailure, once } from "../base/tasks.ts";
import { isProject } from "../config/project-trust.ts";
import type { Host } from "../runtime/configuration/host.ts";
import type { LimitSource } from "../runtime/configuration/limits.ts";
import type { Runtime } from "../runtime/open-runtime.ts";
import type { RuntimeDeps } from "../runtime/setup/runtime-deps.ts";
import type { Workbench, WorkbenchOptions } from "../runtime/workbench/open-workbench.ts";
import type { RecordAudit } from "./connections/audited.ts";
import type { CoalescedNotices } from "./connections/coalesced-notices.ts";
import type { KnowsFolder } from "./connections/limited-rights.ts";
import { createThreadOwners } from "./connections/own-threads.ts";
import type { Front } from "./front.ts";
import type { EventLogs, LogReader } from "./http/durable-stream/event-log.ts";
import type { LiveNotices } from "./streams/live-notices.ts";
import type { ThreadLogsOptions } from "./streams/thread-logs.ts";
import type { AnswerWake } from "./wake/wake-request.ts";

interface ServerSide {
  readonly front: Front;
  readonly host: Host;
}

/** Loaded with the first request. */
export function createLateAnswerWake({ deps, threads, lifetimes }: Runtime): AnswerWake {
  const { engine, host, store } = deps;
  const loaded = once(async () => {
    const { createAnswerWake } = await import("./wake/answer-wake.ts");
    const { queue } = lifetimes.queueHandlerParts;
    const { clock, createId } = host;
    return createAnswerWake({
      engine,
      threads,
      queue,
      clock,
      createId,
      store: store.get,
      createNonce: randomUUID,
    });
  });
  return async (request) => (await loaded.get())(request);
}

/**
 * A folder whose trust is undecided is not known, because a thread that is started in it by its name may mark it as trusted.
 */
export function createFolderCheck(cwd: string, { config, store }: RuntimeDeps): KnowsFolder {
  return async (path) => {
    const effective = await (await config.get()).effective({ cwd: path });
    if (!effective.ok || (effective.value.trustLevel === undefined && isProject(path))) return false;
    if (path === cwd) return true;
    const found = await (await store.get()).threads.list({ archived: false, cwds: [path], limit: 1 });
    return found.kind === "page" && found.data.length > 0;
  };
}

/** The threads that the holder of a token may use. */
export function createThreadAccess({ engine, store }: RuntimeDeps, limits: LimitSource) {
  const ownThreadsOf = createThreadOwners({
    engine,
    threadStore: async () => (await store.get()).threads,
  });
  return {
    ownThreadsOf,
    async mayRead(threadId: string, { subject, scopes }: LogReader): Promise<boolean> {
      const { ownThreads } = await limits.read();
      return !ownThreads || scopes.has("admin") || ownThreadsOf(subject).has(threadId);
    },
  };
}

/** The change is made already, so that a failure is only logged. */
export function createAuditRecorder({ store, host }: RuntimeDeps): RecordAudit {
  return (entry) =>
    store
      .get()
      .then(({ audit }) => audit.record(entry))
      .catch((error: unknown) => logFailure(host.log, "recording a change", error));
}

/** Loaded by the first session, or by the first request for devices. */
export function createLateDevices({ front, host }: ServerSide, { store }: RuntimeDeps) {
  const loaded = once(async () => {
    const { createDeviceAccess } = await import("../runtime/access/create-device-access.ts");
    const { notifyDeviceChange } = await import("./handlers/devices.ts");
    const devices = async () => (await store.get()).devices;
    const access = createDeviceAccess({ ...host, devices, randomBytes });
    const { connections, notifier } = front.server;
    access.onChange((device) => notifyDeviceChange(device, connections, notifier));
    front.onClose(async () => access.sessions.close());
    return access;
  });
  return loaded.get;
}

/** Loaded by the first request for events. */
export function createEventLogs(
  { engine, host, store }: RuntimeDeps,
  live: LiveNotices,
  mayRead: ThreadLogsOptions["mayRead"],
): EventLogs {
  const threadStore = async () => (await store.get()).threads;
  const logs = once(async () =>
    (await import("./streams/thread-logs.ts")).createThreadLogs({
      engine,
      threadStore,
      live,
      mayRead,
      clock: host.clock,
    }),
  );
  return { open: async (...call) => (await logs.get()).open(...call) };
}

/** Loaded by the first connection that asks for summaries. */
export async function openSummaryFeed(
  { deps, threads, lifetimes, waitingThreads }: Runtime,
  { front, host }: ServerSide,
): Promise<CoalescedNotices> {
  const [{ createThreadSummaryFeed }, { createThreadSummaries }] = await Promise.all([
    import("./handlers/thread-summary-feed.ts"),
    import("../runtime/activity/thread-summaries.ts"),
  ]);
  const feed = createThreadSummaryFeed({
    summaries: createThreadSummaries({
      store: deps.store.get,
      engine: deps.engine,
      config: deps.config,
      waitingThreads,
    }),
    notifier: front.server.notifier,
    threads,
    onQueueChange: lifetimes.queueHandlerParts.onQueueChange,
    clock: host.clock,
    log: host.log,
  });
  front.onDisconnect(feed.remove);
  return feed;
}

export async function openLateWorkbench(
  { config, host, identity, machine, models, hooks }: RuntimeDeps,
  options: WorkbenchOptions,
): Promise<Workbench> {
  const workbench = await import("../runtime/workbench/open-workbench.ts");
  const parts = { config, host, identity, machine, models, hooks: await hooks.get() };
  return workbench.openWorkbench(parts, options);
}
