/** A folder to test a sandbox on: a workspace, folders outside of it, and a way to run scripts. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createLocalHost } from "../../src/process/local-host.ts";
import type { SandboxPolicy } from "../../src/protocol/generated/types.ts";
import { openSandbox, type SandboxDeps } from "../../src/sandbox/backends/open-sandbox.ts";
import { createGuard } from "../../src/sandbox/guard.ts";
import type { WrapOptions, WrapOutcome } from "../../src/sandbox/sandbox.ts";
import { openSandboxWritablePaths } from "../../src/sandbox/writable-paths.ts";

export interface ScriptResult {
  readonly code: number | null;
  readonly output: string;
}

export interface SandboxHarness {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly deps: SandboxDeps;
  /** Writes a file and creates its folders. */
  write(path: string, text?: string): void;
  wrap(script: string, policy?: SandboxPolicy, options?: Partial<WrapOptions>): WrapOutcome;
  /** Runs a shell script under a policy; null means without a sandbox. */
  run(script: string, policy?: SandboxPolicy | null, terminal?: boolean): Promise<ScriptResult>;
}

/** Only the workspace is writable; the temporary folder, which contains the harness, is not. */
export const WORKSPACE = {
  type: "workspaceWrite",
  excludeSlashTmp: true,
  excludeTmpdirEnvVar: true,
} as const satisfies SandboxPolicy;

export interface SandboxHarnessOptions {
  /** Folders below the base that are hidden from commands. */
  readonly hidden?: readonly string[];
  /** Paths below the base that are guarded from commands. */
  readonly guarded?: readonly string[];
  /** A program that replaces bubblewrap. */
  readonly bubblewrap?: string;
}

export async function openSandboxHarness({
  hidden = [],
  guarded = [],
  bubblewrap,
}: SandboxHarnessOptions = {}): Promise<SandboxHarness> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "heddle-sandbox-")));
  const [workspace, outside] = [join(base, "workspace"), join(base, "outside")];
  mkdirSync(workspace);
  mkdirSync(outside);
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const host = createLocalHost({ graceMs: 100 });
  onTestFinished(() => host.close());
  const programs = join(base, "programs");
  mkdirSync(programs);
  if (bubblewrap !== undefined) writeFileSync(join(programs, "bwrap"), bubblewrap, { mode: 0o755 });
  const env = {
    PATH: `${programs}:${process.env["PATH"] ?? ""}`,
    HOME: base,
    OUTSIDE: outside,
    TESTER: `${process.pid}`,
  };
  const deps: SandboxDeps = {
    env,
    cwd: workspace,
    platform: process.platform,
    architecture: process.arch,
    folder: join(base, "state"),
    hidden: () => hidden.map((path) => join(base, path)),
    guard: createGuard({ paths: () => guarded.map((path) => join(base, path)) }),
    writablePaths: openSandboxWritablePaths(join(base, "state")),
  };
  const sandbox = await openSandbox(deps);
  const wrap: SandboxHarness["wrap"] = (script, policy = WORKSPACE, options = {}) =>
    sandbox.wrap({ argv: ["bash", "-c", script], cwd: workspace, env }, policy, {
      policyCwd: workspace,
      ownSession: true,
      ...options,
    });
  return {
    base,
    workspace,
    outside,
    deps,
    wrap,
    write(path, text = "as it was\n") {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
    async run(script, policy = WORKSPACE, terminal = false) {
      const wrapped = wrap(script, policy ?? { type: "dangerFullAccess" });
      if (!wrapped.ok) throw new Error(wrapped.reason);
      const { argv, env: given, release } = wrapped;
      let output = "";
      const spec = {
        argv,
        cwd: workspace,
        env: given,
        ...(terminal ? { terminal: { cols: 80, rows: 24 } } : {}),
      };
      const started = await host.start(spec, (chunk) => void (output += chunk.toString()));
      if (started.kind === "failed") throw started.error;
      const { code } = await started.process.exited;
      await started.process.closed;
      started.process.release();
      release();
      return { code, output };
    },
  };
}
