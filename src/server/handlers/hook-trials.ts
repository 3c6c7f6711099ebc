// Hooks that are tried without a thread.

import { resolve } from "node:path";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import { HOOK_EVENTS, type HookEventName, wireNameOf } from "../../hooks/hook-event.ts";
import { describeMismatch } from "../../hooks/workbench/match-hooks.ts";
import { NOT_REBUILT } from "../../hooks/workbench/recorded-events.ts";
import type { EventReport, NotRun, TriedRun } from "../../hooks/workbench/try-event.ts";
import type { HookReplayMoment, HookTrial, HookTrialRun } from "../../protocol/generated/types.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { Workbench, WorkbenchOptions } from "../../runtime/workbench/open-workbench.ts";
import { readRecorded } from "../../runtime/workbench/read-recorded.ts";
import { momentsOf, type Replayed, replayHooks } from "../../runtime/workbench/replay-hooks.ts";
import { testHooks, WrongHookInput } from "../../runtime/workbench/test-hooks.ts";
import type { Store } from "../../store/store.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import { pageOf } from "./paging.ts";

export interface HookTrialOptions {
  readonly openWorkbench: (options: WorkbenchOptions) => Promise<Workbench>;
  readonly store: () => Promise<Pick<Store, "threads" | "decisions">>;
  /** The default folder of a request; relative folders start from it. */
  readonly cwd: string;
}

const PAGE = 25;
const MAX_PAGE = 100;
/** Output of a hook in a response. */
const MAX_OUTPUT = 64 * 1024;

export function createHookTrialHandlers({
  openWorkbench,
  store,
  cwd: start,
}: HookTrialOptions): Handlers<"hook/test" | "hook/replay"> {
  async function withWorkbench<T>(
    options: WorkbenchOptions,
    use: (workbench: Workbench) => Promise<T>,
  ): Promise<T> {
    const workbench = await openWorkbench(options);
    try {
      return await use(workbench);
    } catch (error) {
      throw error instanceof WrongHookInput ? invalidRequest(error.message) : error;
    } finally {
      await workbench.close();
    }
  }

  return {
    async "hook/test"({ eventName, cwd, input, hookKeys }) {
      const options = { cwd: resolve(start, cwd ?? "."), keys: hookKeys ?? null };
      const event = eventOf(eventName);
      const report = await withWorkbench(options, (workbench) =>
        testHooks(workbench, { event, members: input ?? {}, runsUntrusted: false }),
      );
      return { trial: showTrial(report) };
    },

    async "hook/replay"({ threadId, turnId, eventName, cursor, limit }) {
      const id = unwrap(parseThreadId(threadId));
      const parts = await store();
      if ((await parts.threads.read(id)) === null) throw invalidRequest(`thread not found: ${id}`);
      const recorded = await readRecorded(parts, id);
      const event = eventName == null ? null : eventOf(eventName);
      const moments = momentsOf(recorded, turnId ?? null).filter(
        (moment) => event === null || moment.event === event,
      );
      const page = pageOf(
        moments,
        { cursor: cursor ?? null, limit: Math.min(MAX_PAGE, limit ?? PAGE) },
        "moments",
      );
      const { transcriptPath, cwd } = recorded;
      const replayed = await withWorkbench({ cwd }, (workbench) =>
        replayHooks(workbench, page.data, { threadId: id, transcriptPath, runsUntrusted: false }),
      );
      return {
        data: replayed.map(showMoment),
        nextCursor: page.nextCursor,
        notRebuilt: [...NOT_REBUILT],
      };
    },
  };
}

function eventOf(wireName: string): HookEventName {
  const event = HOOK_EVENTS.find((each) => wireNameOf(each) === wireName);
  if (event === undefined) throw invalidRequest(`there is no hook event ${wireName}`);
  return event;
}

function showTrial({ event, input, matches, runs, notRun, would }: EventReport): HookTrial {
  return {
    eventName: wireNameOf(event),
    input,
    hooks: matches.map((match) => ({
      key: match.hook.key,
      runs: describeHandler(match.hook),
      isRun: match.verdict.kind === "runs",
      reason: describeMismatch(match),
    })),
    runs: runs.map(showRun),
    notRun: notRun.map(showNotRun),
    isBlocked: would.isBlocked,
    would: [...would.lines],
  };
}

function showRun({ hook, run, result }: TriedRun): HookTrialRun {
  const exited = result?.kind === "exited" ? result : null;
  return {
    key: hook.key,
    run,
    exitCode: exited?.exitCode ?? null,
    stdout: exited?.stdout.slice(0, MAX_OUTPUT) ?? null,
    stderr: exited?.stderr.slice(0, MAX_OUTPUT) ?? null,
  };
}

function showNotRun({ hook, reason }: NotRun) {
  return { key: hook.key, reason };
}

function showMoment({ moment, report, differences }: Replayed): HookReplayMoment {
  return {
    turnId: moment.turnId,
    eventName: wireNameOf(moment.event),
    about: moment.about,
    recorded: [...moment.recorded],
    runs: report.runs.map(({ run }) => run),
    notRun: report.notRun.map(showNotRun),
    isBlocked: report.would.isBlocked,
    would: [...report.would.lines],
    differences: [...differences],
  };
}
