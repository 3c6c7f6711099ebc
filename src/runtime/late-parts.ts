/** Parts that most servers never use, loaded on first use: schedules, hooks that wake threads, questions that outlive a process. */

import { randomUUID } from "node:crypto";
import { type Once, once } from "../base/tasks.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import type { EmitFor } from "../engine/state/events.ts";
import type { QuestionWatch } from "./questions/question-watch.ts";
import type { QueuedTurns } from "./queue/queued-turns.ts";
import type { OpenSchedules } from "./schedules/open-schedules.ts";
import type { RuntimeDeps } from "./setup/runtime-deps.ts";
import type { ThreadService } from "./thread-service.ts";
import type { WakeByHook } from "./wake/wake-by-hook.ts";

export interface LateParts {
  readonly schedules: Once<OpenSchedules>;
  readonly wakeByHook: WakeByHook;
  readonly watch: Once<QuestionWatch>;
}

interface LatePorts {
  readonly threads: ThreadService;
  readonly emit: EmitFor;
  readonly queue: QueuedTurns["get"];
}

export function createLateParts(deps: RuntimeDeps, ports: LatePorts): LateParts {
  return {
    schedules: once(async () => (await import("./schedules/open-schedules.ts")).openSchedules(deps, ports)),
    wakeByHook: createLateWakeByHook(deps, ports),
    watch: createLateWatch(deps, ports.threads),
  };
}

function createLateWakeByHook(
  { engine, store, host: { clock, createId, log } }: RuntimeDeps,
  { threads, queue }: LatePorts,
): WakeByHook {
  const loaded = once(async () => {
    const { createWakeByHook } = await import("./wake/wake-by-hook.ts");
    const ports = { engine, threads, queue, store: store.get };
    return createWakeByHook({ ...ports, clock, log, createId, createNonce: randomUUID });
  });
  return async (...wake) => (await loaded.get())(...wake);
}

/** Null for an invalid configuration. */
export async function readValues(config: RuntimeDeps["config"]): Promise<ConfigValues | null> {
  const effective = await (await config.get()).effective();
  return effective.ok ? effective.value.values : null;
}

function createLateWatch(
  { store, engine, config, host }: RuntimeDeps,
  threads: ThreadService,
): Once<QuestionWatch> {
  const { clock, log } = host;
  const timeoutMs = async () => ((await readValues(config))?.approvals.timeout_sec ?? Infinity) * 1000;
  return once(async () =>
    (await import("./questions/question-watch.ts")).createQuestionWatch({
      store: store.get,
      engine,
      threads,
      timeoutMs,
      clock,
      log,
    }),
  );
}
