import { resolve } from "node:path";
import { boundedMap } from "../../base/bounded-map.ts";
import type { Engine } from "../../engine/engine.ts";
import { describeHandler } from "../../hooks/config/skipped-hooks.ts";
import type { ConfiguredHook, HookSet } from "../../hooks/configured-hook.ts";
import { wireNameOf } from "../../hooks/hook-event.ts";
import type { HookMetadata, HooksListEntry } from "../../protocol/generated/types.ts";
import type { Hooks } from "../../runtime/setup/hooks.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";

export interface HooksHandlerOptions {
  readonly hooks: Hooks;
  readonly engine: Engine;
  /** The default folder of a request; relative folders start from it. */
  readonly cwd: string;
}

const CONCURRENT_FOLDERS = 5;

export function createHooksHandlers({ hooks, engine, cwd }: HooksHandlerOptions): Handlers<"hooks/list"> {
  async function ofThread(threadId: string): Promise<HooksListEntry> {
    const id = unwrap(parseThreadId(threadId));
    const [thread, source] = [engine.find(id), hooks.of(id)];
    if (thread === undefined || source === undefined) throw invalidRequest(`thread not found: ${id}`);
    const { cwd } = thread.settings;
    return toEntry(cwd, await hooks.checkPins(await source.current(), cwd));
  }

  async function inFolder(folder: string): Promise<HooksListEntry> {
    const path = resolve(cwd, folder);
    const found = await hooks.inFolder(path);
    if (found.ok) return toEntry(folder, await hooks.checkPins(found.value, path));
    return { cwd: folder, hooks: [], warnings: [], errors: [{ path: folder, message: found.error.message }] };
  }

  return {
    async "hooks/list"({ cwds = [], threadId = null }) {
      if (threadId !== null && cwds.length > 0) throw invalidRequest("specify either threadId or cwds");
      if (threadId !== null) return { data: [await ofThread(threadId)] };
      const folders = cwds.length === 0 ? [cwd] : cwds;
      return { data: await boundedMap(folders, CONCURRENT_FOLDERS, inFolder) };
    },
  };
}

function toEntry(cwd: string, { hooks, warnings, errors }: HookSet): HooksListEntry {
  const refusals = hooks.flatMap(({ refusal }) => (refusal?.kind === "unpinnable" ? [refusal.message] : []));
  return { cwd, hooks: hooks.map(toMetadata), warnings: [...warnings, ...refusals], errors: [...errors] };
}

function toMetadata(hook: ConfiguredHook): HookMetadata {
  const { key, matcher, statusMessage, additionalContextLimit, sourcePath, source, displayOrder } = hook;
  const { enabled, isManaged, currentHash, trustStatus } = hook;
  return {
    key,
    eventName: wireNameOf(hook.event),
    ...toHandler(hook),
    matcher,
    // Clients of the peer expect whole seconds.
    timeoutSec: Math.ceil(hook.timeoutSeconds),
    statusMessage,
    additionalContextLimit,
    sourcePath,
    source,
    pluginId: null,
    environmentId: null,
    displayOrder,
    // Shown as disabled, because clients keep asking the user to trust a modified hook, and trust does not
    // enable this one.
    enabled: enabled && hook.refusal?.kind !== "unpinnable",
    isManaged,
    currentHash,
    trustStatus,
  };
}

type HandlerMetadata = HookMetadata extends infer M
  ? M extends { handlerType: string }
    ? Pick<M, Extract<keyof M, "handlerType" | "command" | "async" | "server" | "tool" | "heddleType">>
    : never
  : never;

/** Clients of the peer fail on unknown handler types, so types that only Heddle has are shown as commands. */
function toHandler(hook: ConfiguredHook): HandlerMetadata {
  const { handler, isAsync } = hook;
  switch (handler.type) {
    case "command":
      return { handlerType: "command", command: describeHandler(hook), async: isAsync };
    case "mcp_tool":
      return { handlerType: "mcpTool", server: handler.server, tool: handler.tool };
    case "prompt":
      return { handlerType: "prompt" };
    case "http":
    case "module":
      return {
        handlerType: "command",
        command: describeHandler(hook),
        async: isAsync,
        heddleType: handler.type,
      };
  }
}
