/** The sandbox of macOS: what to put before a command, and the profile that says what the command may do. */
import type { Environment } from "../../base/environment.ts";
import type { Bounds } from "../bounds.ts";
import { planMounts } from "../mount-plan.ts";
import { runTrial } from "./run-trial.ts";

/** Always the system's own, whatever the PATH says. */
const PROGRAM = "/usr/bin/sandbox-exec";

/** What to put before a command. */
export function seatbeltCommand(bounds: Bounds, secrets: Secrets): string[] {
  const { text, parameters } = seatbeltProfile(bounds, secrets);
  const definitions = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`);
  return [PROGRAM, "-p", text, ...definitions, "--"];
}

/** Why Seatbelt does not work here, or null. It does not inside of another sandbox. */
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
  /** Values that the text refers to by name, so that no path is ever part of the text but in patterns. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What commands may neither see nor call. */
export interface Secrets {
  readonly hidden: readonly string[];
  /** Of this machine. */
  readonly ports: readonly number[];
}

/** What any program needs to start, to talk to its children and to use a terminal that it was given. */
const FOUNDATION = `(version 1)
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

/** Services that answer questions and do nothing on anybody's behalf. */
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

/** Name look-up and the check of certificates. */
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

/** Of rules for one operation the last that matches counts, so that outer folders come first here too. */
export function seatbeltProfile(bounds: Bounds, { hidden, ports }: Secrets): SeatbeltProfile {
  const parameters: Record<string, string> = {};
  const named = (prefix: string, path: string): string => {
    const name = `${prefix}_${Object.keys(parameters).length}`;
    parameters[name] = path;
    return `(param "${name}")`;
  };
  const lines = [FOUNDATION, lookUps(bounds.network ? [...SERVICES, ...NETWORK_SERVICES] : SERVICES)];
  if (bounds.network) lines.push("(allow network* system-socket)");
  for (const port of ports) lines.push(`(deny network-outbound (remote ip "localhost:${port}"))`);
  const anchors: string[] = [];
  const mounts = planMounts({ roots: bounds.roots, readOnly: bounds.protectedPaths, masks: [], hidden });
  for (const { kind, path } of mounts) {
    switch (kind) {
      case "writable": {
        const place = named("WRITABLE", path);
        if (bounds.roots.includes(path)) lines.push(`(allow file-write* (subpath ${place}))`);
        anchors.push(`(deny file-write-unlink (require-all (literal ${place}) (vnode-type DIRECTORY)))`);
        break;
      }
      case "hidden":
      case "hiddenFile":
        lines.push(`(deny file-read* file-write* network-outbound (subpath ${named("HIDDEN", path)}))`);
        break;
      case "readOnly":
      case "mask": {
        const place = named("KEPT", path);
        lines.push(`(deny file-write* (literal ${place}) (subpath ${place}) (regex #"${anyCase(path)}"))`);
        break;
      }
    }
  }
  return { text: [...lines, ...anchors].join("\n"), parameters };
}

function lookUps(names: readonly string[]): string {
  return `(allow mach-lookup\n${names.map((name) => `  (global-name "${name}")`).join("\n")})`;
}

/** File systems here take `.GIT` for `.git`, and patterns do not: the last name is matched in any case. */
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
