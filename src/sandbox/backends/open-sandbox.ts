/** The sandbox of this machine: bubblewrap on Linux, Seatbelt on macOS, none elsewhere. */
import { arch, platform } from "node:os";
import type { Environment } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import { type Bounds, readBounds } from "../bounds.ts";
import type { Guard } from "../guard.ts";
import { isInside } from "../inside.ts";
import type { Sandbox, SandboxCommand, WrapOptions, WrapOutcome } from "../sandbox.ts";
import type { SandboxWritablePaths } from "../writable-paths.ts";
import { confine } from "./bubblewrap.ts";
import { findBubblewrap, openBubblewrap } from "./open-bubblewrap.ts";
import { runTrial } from "./run-trial.ts";
import { seatbeltCommand, trySeatbelt } from "./seatbelt.ts";
import { architectureOf } from "./seccomp-filter.ts";

export interface SandboxDeps {
  readonly env: Environment;
  /** The server's own folder; programs in it are not trusted to be the sandbox. */
  readonly cwd: string;
  readonly platform: string;
  /** Node's name for the processor. */
  readonly architecture: string;
  /** A folder for the sandbox's own files, made if it is not there. Commands cannot change it. */
  readonly folder: string;
  /** What no confined command may look into, such as the folder of the server's sockets. */
  readonly hidden: () => readonly string[];
  /** The server's own, which no confined command may call. Where callers can be told apart it is the server that refuses. */
  readonly ports?: () => readonly number[];
  readonly guard: Guard;
  /** Is told of all that confined commands may write. */
  readonly places: SandboxWritablePaths;
}

/** How one kind of sandbox turns a command into a confined one. */
type Confine = (
  command: SandboxCommand,
  bounds: Bounds,
  options: WrapOptions,
) => {
  readonly argv: string[];
  readonly release: () => void;
  /** What to start it with, where that is not what the command gets. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Tries once what this machine allows; the answer holds for as long as the sandbox is kept. */
export async function openSandbox(deps: SandboxDeps): Promise<Sandbox> {
  switch (deps.platform) {
    case "linux": {
      const isSandboxWritable = (path: string) =>
        deps.places.contains(path) || (deps.cwd !== "/" && isInside(path, deps.cwd));
      const opened = await openBubblewrap({ ...deps, isSandboxWritable, pid: process.pid });
      if (!opened.ok) return without(opened.reason, deps);
      const { parts } = opened;
      return enforcing("bubblewrap", deps, ({ argv, env }, bounds, { ownSession, hidden = [] }) => {
        const { outside, inside } = splitVariables(env);
        const options = { newSession: ownSession !== true, hidden, variables: inside };
        return { ...confine(argv, bounds, options, parts), env: outside };
      });
    }
    case "darwin": {
      const reason = await trySeatbelt(deps.env);
      if (reason !== null) return without(reason, deps);
      return enforcing("seatbelt", deps, ({ argv }, bounds, { hidden = [] }) => ({
        argv: [
          ...seatbeltCommand(bounds, { hidden: [...deps.hidden(), ...hidden], ports: deps.ports?.() ?? [] }),
          ...argv,
        ],
        release: nothing,
      }));
    }
    default:
      return without(`there is no sandbox for ${deps.platform}`, deps);
  }
}

const VARIABLES = { bubblewrap: {}, seatbelt: { CODEX_SANDBOX: "seatbelt" } } as const;

function without(reason: string, { guard }: SandboxDeps): Sandbox {
  return {
    ability: { kind: "none", reason },
    wrap: wrapWith(guard, () => ({ ok: false, reason })),
  };
}

function enforcing(
  by: "bubblewrap" | "seatbelt",
  { guard, places }: SandboxDeps,
  confineWith: Confine,
): Sandbox {
  return {
    ability: { kind: "enforced", by },
    wrap: wrapWith(guard, (command, bounds, options) => {
      places.note(bounds);
      const env = { ...environmentOf(command, bounds.network), ...VARIABLES[by] };
      return { ok: true, env, ...confineWith({ ...command, env }, bounds, options) };
    }),
  };
}

/** Lets through what has no bounds; everything else is for `bounded` to confine or to refuse. */
function wrapWith(
  guard: Guard,
  bounded: (command: SandboxCommand, bounds: Bounds, options: WrapOptions) => WrapOutcome,
): Sandbox["wrap"] {
  return (command, policy, options) => {
    try {
      const outcome = readBounds(policy, command, options, guard);
      if (outcome.kind === "refused") return { ok: false, reason: outcome.reason };
      if (outcome.kind === "bounded") return bounded(command, outcome.bounds, options);
      return { ok: true, argv: command.argv, env: environmentOf(command, outcome.network), release: nothing };
    } catch (error) {
      return { ok: false, reason: `the sandbox could not be made ready: ${messageOf(error)}` };
    }
  };
}

/** What makes a program load files before it does anything: libraries, locales, functions and files of shells. */
const LOADING = /^(?:LD_|BASH_FUNC_|(?:BASH_ENV|ENV|GCONV_PATH|LOCPATH|NLSPATH|SHELLOPTS|BASHOPTS|PS4)$)/;

function splitVariables(env: Readonly<Record<string, string>>) {
  const entries = Object.entries(env);
  return {
    outside: Object.fromEntries(entries.filter(([name]) => !LOADING.test(name))),
    inside: Object.fromEntries(entries.filter(([name]) => LOADING.test(name))),
  };
}

/** Programs look at this to skip what needs a network. */
function environmentOf({ env }: SandboxCommand, network: boolean): Readonly<Record<string, string>> {
  return network ? env : { ...env, CODEX_SANDBOX_NETWORK_DISABLED: "1" };
}

function nothing(): void {}

/** What can keep a command within its bounds on this machine, and what to do where nothing can. */
export type SandboxFinding =
  | { readonly kind: "bubblewrap"; readonly version: string }
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; readonly reason: string; readonly advice: string };

const CONTAIN = "Run Heddle in a container or virtual machine, or approve each command.";

/** Finds out by trying, because a program that is installed may still not be allowed to work. */
export async function probeSandbox(env: Environment): Promise<SandboxFinding> {
  if (platform() === "darwin") {
    const reason = await trySeatbelt(env);
    return reason === null ? { kind: "seatbelt" } : { kind: "none", reason, advice: CONTAIN };
  }
  if (platform() !== "linux" || architectureOf(arch()) === null) {
    return { kind: "none", reason: `there is no sandbox for ${platform()} on ${arch()}`, advice: CONTAIN };
  }
  const found = await findBubblewrap({ env, isSandboxWritable: () => false });
  if (found.kind === "unusable") return { kind: "none", reason: found.reason, advice: found.advice };
  const version = await runTrial([found.program, "--version"], env);
  return {
    kind: "bubblewrap",
    version: version.ok ? version.output.replace(/^bubblewrap\s+/, "").trim() : "?",
  };
}
