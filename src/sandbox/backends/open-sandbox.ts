/** The sandbox of this machine: bubblewrap on Linux, Seatbelt on macOS, none elsewhere. */
import { arch, platform } from "node:os";
import type { Environment } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import { type Bounds, readBounds } from "../bounds.ts";
import type { Guard } from "../guard.ts";
import { isInside } from "../inside.ts";
import type { Sandbox, SandboxCommand, WrapOptions, WrapOutcome } from "../sandbox.ts";
import type { SandboxWritablePaths } from "../writable-paths.ts";
import { wrapInBubblewrap } from "./bubblewrap.ts";
import { findBubblewrap, openBubblewrap } from "./open-bubblewrap.ts";
import { runTrial } from "./run-trial.ts";
import { seatbeltCommand, trySeatbelt } from "./seatbelt.ts";
import { architectureOf } from "./seccomp-filter.ts";

export interface SandboxDeps {
  readonly env: Environment;
  /** The server's cwd; a bubblewrap found in it is not trusted. */
  readonly cwd: string;
  readonly platform: string;
  /** Node's name for the processor. */
  readonly architecture: string;
  /** A folder for the sandbox's own files; created if missing. Commands cannot change it. */
  readonly folder: string;
  /** Paths that are hidden from sandboxed commands, such as the folder of the server's sockets. */
  readonly hidden: () => readonly string[];
  /** Server ports that sandboxed commands may not connect to. Where callers can be identified, the server refuses them. */
  readonly ports?: () => readonly number[];
  readonly guard: Guard;
  /** Records all paths that sandboxed commands may write. */
  readonly writablePaths: SandboxWritablePaths;
}

/** Wraps a command with one sandbox backend. */
type Confine = (
  command: SandboxCommand,
  bounds: Bounds,
  options: WrapOptions,
) => {
  readonly argv: string[];
  readonly release: () => void;
  /** The environment of the wrapper, if it differs from that of the command. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Probes this machine once; the result holds for the lifetime of the sandbox. */
export async function openSandbox(deps: SandboxDeps): Promise<Sandbox> {
  switch (deps.platform) {
    case "linux": {
      const isSandboxWritable = (path: string) =>
        deps.writablePaths.contains(path) || (deps.cwd !== "/" && isInside(path, deps.cwd));
      const opened = await openBubblewrap({ ...deps, isSandboxWritable, pid: process.pid });
      if (!opened.ok) return unavailable(opened.reason, deps);
      const { parts } = opened;
      return enforcing("bubblewrap", deps, ({ argv, env }, bounds, { ownSession, hidden = [] }) => {
        const { outside, inside } = splitVariables(env);
        const options = { newSession: ownSession !== true, hidden, variables: inside };
        return { ...wrapInBubblewrap(argv, bounds, options, parts), env: outside };
      });
    }
    case "darwin": {
      const reason = await trySeatbelt(deps.env);
      if (reason !== null) return unavailable(reason, deps);
      return enforcing("seatbelt", deps, ({ argv }, bounds, { hidden = [] }) => ({
        argv: [
          ...seatbeltCommand(bounds, { hidden: [...deps.hidden(), ...hidden], ports: deps.ports?.() ?? [] }),
          ...argv,
        ],
        release: noop,
      }));
    }
    default:
      return unavailable(`there is no sandbox for ${deps.platform}`, deps);
  }
}

const VARIABLES = { bubblewrap: {}, seatbelt: { CODEX_SANDBOX: "seatbelt" } } as const;

function unavailable(reason: string, { guard }: SandboxDeps): Sandbox {
  return {
    ability: { kind: "none", reason },
    wrap: wrapWith(guard, () => ({ ok: false, reason })),
  };
}

function enforcing(
  by: "bubblewrap" | "seatbelt",
  { guard, writablePaths }: SandboxDeps,
  confine: Confine,
): Sandbox {
  return {
    ability: { kind: "enforced", by },
    wrap: wrapWith(guard, (command, bounds, options) => {
      writablePaths.note(bounds);
      const env = { ...environmentOf(command, bounds.network), ...VARIABLES[by] };
      return { ok: true, env, ...confine({ ...command, env }, bounds, options) };
    }),
  };
}

/** Passes unbounded commands through; `bounded` confines or refuses all others. */
function wrapWith(
  guard: Guard,
  bounded: (command: SandboxCommand, bounds: Bounds, options: WrapOptions) => WrapOutcome,
): Sandbox["wrap"] {
  return (command, policy, options) => {
    try {
      const outcome = readBounds(policy, command, options, guard);
      if (outcome.kind === "refused") return { ok: false, reason: outcome.reason };
      if (outcome.kind === "bounded") return bounded(command, outcome.bounds, options);
      return { ok: true, argv: command.argv, env: environmentOf(command, outcome.network), release: noop };
    } catch (error) {
      return { ok: false, reason: `the sandbox could not be made ready: ${messageOf(error)}` };
    }
  };
}

/** Variables that make a program load files at startup: libraries, locales, shell functions and startup files. */
const LOADER_VARIABLES =
  /^(?:LD_|BASH_FUNC_|(?:BASH_ENV|ENV|GCONV_PATH|LOCPATH|NLSPATH|SHELLOPTS|BASHOPTS|PS4)$)/;

function splitVariables(env: Readonly<Record<string, string>>) {
  const entries = Object.entries(env);
  return {
    outside: Object.fromEntries(entries.filter(([name]) => !LOADER_VARIABLES.test(name))),
    inside: Object.fromEntries(entries.filter(([name]) => LOADER_VARIABLES.test(name))),
  };
}

/** Programs check this variable to skip work that needs a network. */
function environmentOf({ env }: SandboxCommand, network: boolean): Readonly<Record<string, string>> {
  return network ? env : { ...env, CODEX_SANDBOX_NETWORK_DISABLED: "1" };
}

function noop(): void {}

/** The sandbox that works on this machine, or why there is none and what to do. */
export type SandboxFinding =
  | { readonly kind: "bubblewrap"; readonly version: string }
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; readonly reason: string; readonly advice: string };

const NO_SANDBOX_ADVICE = "Run Heddle in a container or virtual machine, or approve each command.";

/** Runs a probe, because an installed program may still lack the permissions to work. */
export async function probeSandbox(env: Environment): Promise<SandboxFinding> {
  if (platform() === "darwin") {
    const reason = await trySeatbelt(env);
    return reason === null ? { kind: "seatbelt" } : { kind: "none", reason, advice: NO_SANDBOX_ADVICE };
  }
  if (platform() !== "linux" || architectureOf(arch()) === null) {
    return {
      kind: "none",
      reason: `there is no sandbox for ${platform()} on ${arch()}`,
      advice: NO_SANDBOX_ADVICE,
    };
  }
  const found = await findBubblewrap({ env, isSandboxWritable: () => false });
  if (found.kind === "unusable") return { kind: "none", reason: found.reason, advice: found.advice };
  const version = await runTrial([found.program, "--version"], env);
  return {
    kind: "bubblewrap",
    version: version.ok ? version.output.replace(/^bubblewrap\s+/, "").trim() : "?",
  };
}
