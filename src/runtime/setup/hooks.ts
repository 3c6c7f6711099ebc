import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { definedOnly } from "../../base/environment.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import type { Effective, EffectiveRequest } from "../../config/get-effective.ts";
import type { DiscoveredHooks } from "../../hooks/config/discover-hooks.ts";
import { createHookReader, findHooks, type HookReader } from "../../hooks/config/hook-reader.ts";
import { createHooksFiles } from "../../hooks/config/hooks-file.ts";
import { createSettingsFiles } from "../../hooks/config/settings-file.ts";
import { skippedHooksWarning } from "../../hooks/config/skipped-hooks.ts";
import type { HookSet } from "../../hooks/configured-hook.ts";
import type { ExecEnv } from "../../hooks/pinning/expand-variables.ts";
import { createFileDigests } from "../../hooks/pinning/file-digests.ts";
import { createHookPins, type HookPins } from "../../hooks/pinning/hook-pins.ts";
import { openPinFile } from "../../hooks/pinning/pin-file.ts";
import { openPrivateCopies } from "../../hooks/pinning/private-copies.ts";
import { markRefused } from "../../hooks/pinning/refused-hooks.ts";
import { withoutWritten } from "../../tools/exec/shell.ts";
import { type ConfigSource, SYSTEM_FOLDER } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import type { MachineGuard } from "../machine/machine-guard.ts";

/** The hooks of a server: by folder, and by loaded thread. */
export interface Hooks {
  inFolder(cwd: string): Promise<ConfigResult<DiscoveredHooks>>;
  /** Registers the hooks of a thread that was resolved with this configuration. */
  follow(threadId: string, request: ThreadHooksRequest): HookReader;
  of(threadId: string): HookReader | undefined;
  forget(threadId: string): void;
  /** Pins the current files of these hooks, which the user has just trusted. */
  pinTrusted(keys: readonly string[]): Promise<void>;
  readonly pins: HookPins;
  /** The environment of a hook. Paths that a sandboxed command could write are removed from its PATH. */
  execEnvFor(cwd: string): ExecEnv;
  /** Marks hooks whose files differ from their pins. */
  checkPins<S extends HookSet>(set: S, cwd: string): Promise<S>;
}

export interface ThreadHooksRequest extends Required<Pick<EffectiveRequest, "cwd" | "thread">> {
  readonly effective: Effective;
}

interface PlacedReader {
  readonly source: HookReader;
  readonly cwd: string;
}

interface SafeEnvironment {
  readonly env: ExecEnv["env"];
  /** The version of the sandbox-writable paths. */
  readonly version: string;
  readonly madeAt: number;
}

/** Resolved links on the PATH are cached this long, because hooks run in bursts. */
const FRESH_MS = 100;

/** Reading hooks of Claude Code extends the guard to its settings. */
export function createHooks(
  { clock, env, userHome }: Host,
  config: ConfigSource,
  guard: Pick<MachineGuard, "guardClaude">,
): Hooks {
  const pins = createHookPins({
    file: openPinFile(config.home, randomUUID),
    digests: createFileDigests(clock),
    copies: openPrivateCopies(config.home, randomUUID),
    isSandboxWritable: config.writablePaths.contains,
  });
  let known: SafeEnvironment | null = null;
  function execEnvFor(cwd: string): ExecEnv {
    const { contains, version } = config.writablePaths;
    const now = clock.monotonic();
    if (known === null || now - known.madeAt > FRESH_MS || known.version !== version())
      known = { env: withoutWritten(definedOnly(env), contains), version: version(), madeAt: now };
    return { cwd, env: known.env };
  }
  const shared = {
    files: createHooksFiles(clock),
    settingsFiles: createSettingsFiles(clock),
    userHome,
    onClaudeRead: guard.guardClaude,
    isSandboxWritable: config.writablePaths.contains,
    platform: process.platform,
  };
  const sources = new Map<string, PlacedReader>();
  const readEffective = async (request: EffectiveRequest) => (await config.get()).effective(request);
  const readerOf = createSharedReaders(({ cwd, thread, effective }) =>
    createHookReader({
      ...shared,
      clock,
      cwd,
      initial: effective,
      effective: () => readEffective({ cwd, thread }),
      otherFiles: ["requirements.toml", "managed_config.toml"].map((name) => join(SYSTEM_FOLDER, name)),
    }),
  );

  return {
    async inFolder(cwd) {
      const read = await readEffective({ cwd });
      return read.ok ? { ok: true, value: await findHooks(read.value, { ...shared, cwd }) } : read;
    },
    follow(threadId, request) {
      const reader = readerOf(request);
      sources.set(threadId, reader);
      return reader.source;
    },
    pins,
    execEnvFor,
    checkPins: (set, cwd) =>
      markRefused(set, async (hook, locate) => {
        const { refusal } = await pins.inspect(hook, { ...execEnvFor(cwd), locate });
        return refusal === null ? { kind: "runnable", handler: hook.handler } : { kind: "refused", refusal };
      }),
    async pinTrusted(keys) {
      await pins.forget(keys);
      for (const { source, cwd } of new Set(sources.values())) {
        const { hooks } = await source.current();
        for (const hook of hooks) if (keys.includes(hook.key)) await pins.check(hook, execEnvFor(cwd));
      }
    },
    of: (threadId) => sources.get(threadId)?.source,
    forget(threadId) {
      sources.delete(threadId);
    },
  };
}

/** Threads that were resolved with the same configuration in the same folder share a reader. */
function createSharedReaders(
  open: (request: ThreadHooksRequest) => HookReader,
): (request: ThreadHooksRequest) => PlacedReader {
  const known = new WeakMap<Effective, PlacedReader>();
  return (request) => {
    const { effective, cwd } = request;
    const shared = known.get(effective);
    if (shared?.cwd === cwd) return shared;
    const reader = { source: open(request), cwd };
    known.set(effective, reader);
    return reader;
  };
}

/** Warnings about hooks when a thread is loaded. */
export function hookWarnings(hooks: HookSet): string[] {
  const skipped = skippedHooksWarning(hooks);
  return [...hooks.warnings, ...(skipped === null ? [] : [skipped])];
}

export const TRUST_BYPASSED =
  "`--dangerously-bypass-hook-trust` is enabled. Enabled hooks may run without review for this invocation.";
