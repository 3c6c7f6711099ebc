import type { Environment } from "../base/environment.ts";
import { messageOf } from "../base/errors.ts";
import type { Bounds } from "./bounds.ts";
import { readBounds } from "./bounds.ts";
import { confine } from "./bubblewrap/bubblewrap-sandbox.ts";
import { openBubblewrap } from "./bubblewrap/open-bubblewrap.ts";
import type { Sandbox, SandboxCommand, WrapOptions, WrapOutcome } from "./sandbox.ts";
import { seatbeltCommand, trySeatbelt } from "./seatbelt/seatbelt-command.ts";

export interface SandboxDeps {
  readonly env: Environment;
  /** The server's own folder; programs in it are not trusted to be the sandbox. */
  readonly cwd: string;
  readonly platform: string;
  /** Node's name for the processor. */
  readonly architecture: string;
  /** A folder for the sandbox's own files, made if it is not there. Commands cannot change it. */
  readonly folder: string;
  /** Folders that no confined command may look into, such as that of the server's control socket. */
  readonly hidden?: readonly string[];
}

/** How one kind of sandbox turns a command into a confined one. */
type Confine = (
  command: SandboxCommand,
  bounds: Bounds,
  options: WrapOptions,
) => { readonly argv: string[]; readonly release: () => void };

/** Tries once what this machine allows; the answer holds for as long as the sandbox is kept. */
export async function openSandbox(deps: SandboxDeps): Promise<Sandbox> {
  switch (deps.platform) {
    case "linux": {
      const opened = await openBubblewrap({ hidden: [], ...deps, pid: process.pid });
      if (!opened.ok) return without(opened.reason);
      const { parts } = opened;
      return enforcing("bubblewrap", {}, ({ argv }, bounds, { ownSession }) =>
        confine(argv, bounds, ownSession !== true, parts),
      );
    }
    case "darwin": {
      const reason = await trySeatbelt(deps.env);
      if (reason !== null) return without(reason);
      const hidden = deps.hidden ?? [];
      const variables = { CODEX_SANDBOX: "seatbelt" };
      return enforcing("seatbelt", variables, ({ argv }, bounds) => ({
        argv: [...seatbeltCommand(bounds, hidden), ...argv],
        release: nothing,
      }));
    }
    default:
      return without(`there is no sandbox for ${deps.platform}`);
  }
}

function without(reason: string): Sandbox {
  return {
    ability: { kind: "none", reason },
    wrap: wrapWith(() => ({ ok: false, reason })),
  };
}

function enforcing(
  by: "bubblewrap" | "seatbelt",
  variables: Readonly<Record<string, string>>,
  confineWith: Confine,
): Sandbox {
  return {
    ability: { kind: "enforced", by },
    wrap: wrapWith((command, bounds, options) => {
      const env = { ...environmentOf(command, bounds.network), ...variables };
      return { ok: true, env, ...confineWith(command, bounds, options) };
    }),
  };
}

/** Lets through what has no bounds; everything else is for `bounded` to confine or to refuse. */
function wrapWith(
  bounded: (command: SandboxCommand, bounds: Bounds, options: WrapOptions) => WrapOutcome,
): Sandbox["wrap"] {
  return (command, policy, options) => {
    try {
      const outcome = readBounds(policy, command, options);
      if (outcome.kind === "refused") return { ok: false, reason: outcome.reason };
      if (outcome.kind === "bounded") return bounded(command, outcome.bounds, options);
      return { ok: true, argv: command.argv, env: environmentOf(command, outcome.network), release: nothing };
    } catch (error) {
      return { ok: false, reason: `the sandbox could not be made ready: ${messageOf(error)}` };
    }
  };
}

/** Programs look at this to skip what needs a network. */
function environmentOf({ env }: SandboxCommand, network: boolean): Readonly<Record<string, string>> {
  return network ? env : { ...env, CODEX_SANDBOX_NETWORK_DISABLED: "1" };
}

function nothing(): void {}
