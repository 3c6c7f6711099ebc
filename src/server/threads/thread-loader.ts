import { once } from "../../base/once.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ConfigWarningNotification, ThreadStartParams } from "../../protocol/generated/types.ts";
import type { History } from "../../store/history/history.ts";
import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";
import { openRules } from "../setup/open-rules.ts";
import { comply } from "../setup/required-settings.ts";
import { forkThread } from "./fork-thread.ts";
import { type Loading, loadThread, type ThreadLoaderOptions } from "./load-thread.ts";
import { resumeThread } from "./resume-thread.ts";
import { startThread } from "./start-thread.ts";
import type { Resolved, ThreadWishes } from "./thread-resolution.ts";

/** Loads threads as the configuration and their clients say. */
export interface ThreadLoader {
  start(params: ThreadStartParams, client: LoadingClient): Promise<Thread>;
  /** A thread that is stored and not loaded. */
  resume(
    threadId: string,
    wishes: ThreadWishes,
    options: { readonly takeOver: boolean; readonly client: LoadingClient },
  ): Promise<Thread>;
  /** A new thread that begins with a part of another. */
  fork(
    threadId: string,
    wishes: ThreadWishes,
    options: { readonly boundary: ForkBoundary; readonly client: LoadingClient },
  ): Promise<Thread>;
}

/** Whoever asks for a thread. */
export interface LoadingClient {
  /** What it can do for MCP servers. */
  readonly extensions: ClientExtensions;
  /** Tells it what is configured or wanted and does not count. */
  readonly warn: (warning: ConfigWarningNotification) => void;
}

export type ForkBoundary = Parameters<History["fork"]>[1];

/** What each way to load a thread ends with; a thread that cannot be loaded leaves nothing open. */
export interface LoaderParts {
  readonly options: ThreadLoaderOptions;
  /** The rules of a thread, read when they are first asked for. */
  readonly rulesOf: (resolved: Resolved) => Loading["rules"];
  readonly load: (
    given: Omit<Loading, "rules" | "extensions">,
    client: LoadingClient,
    rules?: Loading["rules"],
  ) => Promise<Thread>;
}

export function createThreadLoader(options: ThreadLoaderOptions): ThreadLoader {
  const rulesOf: LoaderParts["rulesOf"] = ({ effective, settings }) =>
    once(() => openRules(effective, { ...options.config, cwd: settings.cwd }, options.log)).get;

  const load: LoaderParts["load"] = async (given, { warn, extensions }, rules = rulesOf(given.resolved)) => {
    const { threadId, journal, resolved } = given;
    const { settings, warnings } = comply(resolved.settings, resolved.effective.requirements);
    for (const summary of warnings) warn({ summary, details: null });
    try {
      return await loadThread({ ...given, resolved: { ...resolved, settings }, rules, extensions }, options);
    } catch (error) {
      options.forget(threadId);
      await journal?.close();
      throw error;
    }
  };

  const parts = { options, rulesOf, load };
  return {
    start: (...call) => startThread(parts, ...call),
    resume: (...call) => resumeThread(parts, ...call),
    fork: (...call) => forkThread(parts, ...call),
  };
}
