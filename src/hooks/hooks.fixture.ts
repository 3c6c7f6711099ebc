/** Hooks whose handlers are functions of the test. */
import type { ConfiguredHook, HookSet } from "./configured-hook.ts";
import type { HookEventName } from "./hook-event.ts";
import type { HandlerResult } from "./outcome.ts";
import type { HandlerCall, RunHandler } from "./run/run-hooks.ts";

export type FakeHandler = (call: HandlerCall) => HandlerResult | Promise<HandlerResult>;

export interface FakeHook extends Partial<Omit<ConfiguredHook, "event" | "handler">> {
  readonly event: HookEventName;
  readonly run: FakeHandler;
}

/** Trusted hooks in this order, with the ports that run them. */
export function fakeHooks(fakes: readonly FakeHook[]) {
  const hooks = fakes.map(
    ({ run: _run, ...rest }, index): ConfiguredHook => ({
      key: `/hooks.json:${index}`,
      matcher: null,
      matches: () => true,
      handler: { type: "command", command: String(index), isSandboxed: false },
      timeoutSeconds: 600,
      isAsync: false,
      statusMessage: null,
      additionalContextLimit: null,
      dialect: "codex",
      onFailure: "open",
      source: "user",
      sourcePath: "/hooks.json",
      displayOrder: index,
      enabled: true,
      isManaged: false,
      currentHash: "sha256:",
      trustStatus: "trusted",
      ...rest,
    }),
  );
  const runHandler: RunHandler = async ({ displayOrder }, call) =>
    fakes[displayOrder]?.run(call) ?? { kind: "failed", message: "there is no such hook" };
  const checked = async (set: HookSet) => set;
  return { configured: async () => ({ hooks, warnings: [], errors: [] }), checked, runHandler };
}

export function exits(exitCode: number, { stdout = "", stderr = "" } = {}): HandlerResult {
  return { kind: "exited", exitCode, stdout, stderr, isCut: false };
}

export function answers(output: unknown): HandlerResult {
  return exits(0, { stdout: JSON.stringify(output) });
}
