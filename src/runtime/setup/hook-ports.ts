/** The ports of a thread's hooks: their configuration, their handlers, and files for output that is too long. */
import { randomUUID } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { once } from "../../base/tasks.ts";
import type { HookObserver } from "../../engine/hooks/observer.ts";
import type { HookPorts } from "../../engine/hooks/run-configured.ts";
import type { HookReader } from "../../hooks/config/hook-reader.ts";
import type { HookPins } from "../../hooks/pinning/hook-pins.ts";
import { createRefusalReporter, markRefused } from "../../hooks/pinning/refused-hooks.ts";
import { runHandler } from "../../hooks/run/run-handler.ts";
import { createHandlerPorts, type HandlerPortsOptions } from "./handler-ports.ts";

export interface HookPortsOptions extends HandlerPortsOptions {
  readonly source: HookReader;
  /** Checks that a hook's files are the ones that were trusted. */
  readonly pins: Pick<HookPins, "check">;
  readonly observer: HookObserver;
}

export function createHookPorts(options: HookPortsOptions): HookPorts {
  const { source, log, pins, execEnvFor, observer } = options;
  const news = createRefusalReporter();
  const folder = once(() => mkdtemp(join(tmpdir(), "heddle-hook-outputs-")));
  return {
    configured: () => source.current(),
    async checked(hooks, cwd) {
      if (hooks.hooks.length === 0) return hooks;
      const place = execEnvFor(cwd);
      const set = await markRefused(hooks, (hook, locate) => pins.check(hook, { ...place, locate }));
      news.note(set);
      return set;
    },
    takeWarnings: () => news.take(),
    observer,
    runHandler: (hook, call, settings) => runHandler(hook, call, createHandlerPorts(options, settings)),
    async writeSpilled(text) {
      try {
        const file = join(await folder.get(), `${randomUUID()}.txt`);
        await writeFile(file, text, { mode: 0o600, flag: "wx" });
        return file;
      } catch (error) {
        log.warn("the output of a hook could not be written to a file", { error: messageOf(error) });
        return null;
      }
    },
  };
}
