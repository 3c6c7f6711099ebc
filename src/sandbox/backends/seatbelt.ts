/** The macOS sandbox: the command prefix, and the profile with its rules. */
import type { Environment } from "../../base/environment.ts";
import type { Bounds } from "../bounds.ts";
import { planMounts } from "../mount-plan.ts";
import { runTrial } from "./run-trial.ts";

/** Absolute, so that PATH cannot substitute another program. */
const PROGRAM = "/usr/bin/sandbox-exec";

/** The command prefix. */
export function seatbeltCommand(bounds: Bounds, hiddenResources: HiddenResources): string[] {
  const { text, parameters } = seatbeltProfile(bounds, hiddenResources);
  const definitions = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`);
  return [PROGRAM, "-p", text, ...definitions, "--"];
}

/** Null, or why Seatbelt does not work here. It cannot be nested in another sandbox. */
export async function trySeatbelt(env: Environment): Promise<string | null> {
  const bounds: Bounds = { network: false, roots: [], protectedPaths: [] };
  const outcome = await runTrial(
    [...seatbeltCommand(bounds, { hidden: [], ports: [] }), "/usr/bin/true"],
    env,
  );
  return outcome.ok ? null : `sandbox-exec cannot make a sandbox here: ${outcome.reason}`;
}

export interface SeatbeltProfile {
  readonly text: string;
  /** Values that the text refers to by name, so that the text contains paths only in patterns. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Files that commands may not see, and ports that they may not connect to. */
export interface HiddenResources {
  readonly hidden: readonly string[];
  /** Ports on localhost. */
  readonly ports: readonly number[];
}

/** The minimum for a program to start, to communicate with its children and to use its terminal. */
const BASE_PROFILE = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(allow file-read*)
(allow pseudo-tty ipc-posix-sem)
(allow file-write-data (require-all (literal "/dev/null") (vnode-type CHARACTER-DEVICE)))
(allow file-write-data file-ioctl (literal "/dev/tty") (literal "/dev/dtracehelper"))
(allow file-write* file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow user-preference-read)
(allow ipc-posix-shm-read* (ipc-posix-name-prefix "apple."))`;

/** Mach services that only answer queries and perform no actions for their callers. */
const SERVICES = [
  "com.apple.PowerManagement.control",
  "com.apple.bsd.dirhelper",
  "com.apple.cfprefsd.agent",
  "com.apple.cfprefsd.daemon",
  "com.apple.logd",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
];

/** DNS and certificate validation. */
const NETWORK_SERVICES = [
  "com.apple.SecurityServer",
  "com.apple.SystemConfiguration.DNSConfiguration",
  "com.apple.SystemConfiguration.configd",
  "com.apple.mDNSResponder",
  "com.apple.networkd",
  "com.apple.ocspd",
  "com.apple.trustd",
  "com.apple.trustd.agent",
];

/** The last matching rule of an operation wins, so outer folders come first here, too. */
export function seatbeltProfile(bounds: Bounds, { hidden, ports }: HiddenResources): SeatbeltProfile {
  const parameters: Record<string, string> = {};
  const addParameter = (prefix: string, path: string): string => {
    const name = `${prefix}_${Object.keys(parameters).length}`;
    parameters[name] = path;
    return `(param "${name}")`;
  };
  const lines = [BASE_PROFILE, allowLookups(bounds.network ? [...SERVICES, ...NETWORK_SERVICES] : SERVICES)];
  if (bounds.network) lines.push("(allow network* system-socket)");
  for (const port of ports) lines.push(`(deny network-outbound (remote ip "localhost:${port}"))`);
  const anchors: string[] = [];
  const mounts = planMounts({ roots: bounds.roots, readOnly: bounds.protectedPaths, masks: [], hidden });
  for (const { kind, path } of mounts) {
    switch (kind) {
      case "writable": {
        const parameter = addParameter("WRITABLE", path);
        if (bounds.roots.includes(path)) lines.push(`(allow file-write* (subpath ${parameter}))`);
        anchors.push(`(deny file-write-unlink (require-all (literal ${parameter}) (vnode-type DIRECTORY)))`);
        break;
      }
      case "hidden":
      case "hiddenFile":
        lines.push(
          `(deny file-read* file-write* network-outbound (subpath ${addParameter("HIDDEN", path)}))`,
        );
        break;
      case "readOnly":
      case "mask": {
        const parameter = addParameter("KEPT", path);
        lines.push(
          `(deny file-write* (literal ${parameter}) (subpath ${parameter}) (regex #"${anyCase(path)}"))`,
        );
        break;
      }
    }
  }
  return { text: [...lines, ...anchors].join("\n"), parameters };
}

function allowLookups(names: readonly string[]): string {
  return `(allow mach-lookup\n${names.map((name) => `  (global-name "${name}")`).join("\n")})`;
}

/** File systems on macOS are case-insensitive, and patterns are not: the last path segment matches in any case. */
function anyCase(path: string): string {
  const start = path.lastIndexOf("/") + 1;
  const last = escapePattern(path.slice(start)).replace(
    /[a-z]/gi,
    (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`,
  );
  return `^${escapePattern(path.slice(0, start))}${last}(/.*)?$`;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|"]/g, String.raw`\$&`);
}
