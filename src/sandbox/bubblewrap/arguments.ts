/** The command line of bubblewrap. */
import type { Mount } from "../mount-plan.ts";

export interface BubblewrapCall {
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  /** Whether the system lets us mount a new /proc, which some containers do not. */
  readonly ownProc: boolean;
  readonly newSession: boolean;
  /** The descriptor from which to read the filter of system calls; null for none. */
  readonly filterDescriptor: number | null;
  /** Variables that are only for the command: they could make bubblewrap itself load files of the workspace. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A new /proc has them writable for root's user id, which needs no further right, and the old one is read-only. */
const KERNEL_SETTINGS = ["/proc/sys", "/proc/sysrq-trigger"].flatMap((path) => ["--ro-bind-try", path, path]);

/** Everything between the program and the command, the `--` included. */
export function bubblewrapArguments(call: BubblewrapCall): string[] {
  const [first, ...rest] = call.mounts;
  const everything = first?.kind === "writable" && first.path === "/";
  const args = everything ? ["--bind", "/", "/"] : ["--ro-bind", "/", "/"];
  args.push("--dev", "/dev");
  for (const mount of everything ? rest : call.mounts) args.push(...mountArguments(mount));
  // Root gets no user namespace unless it is asked for, and without one it would keep its rights.
  args.push("--unshare-user", "--unshare-pid", "--unshare-ipc");
  if (!call.network) args.push("--unshare-net");
  if (call.ownProc) args.push("--proc", "/proc", ...KERNEL_SETTINGS);
  if (call.newSession) args.push("--new-session");
  if (call.filterDescriptor !== null) args.push("--seccomp", `${call.filterDescriptor}`);
  for (const [name, value] of Object.entries(call.variables ?? {})) args.push("--setenv", name, value);
  args.push("--die-with-parent", "--cap-drop", "ALL", "--");
  return args;
}

function mountArguments({ kind, path }: Mount): string[] {
  switch (kind) {
    case "writable":
      return ["--bind", path, path];
    case "readOnly":
      return ["--ro-bind", path, path];
    case "mask":
      return ["--perms", "555", "--tmpfs", path, "--remount-ro", path];
    case "hidden":
      return ["--perms", "000", "--tmpfs", path, "--remount-ro", path];
    case "hiddenFile":
      return ["--ro-bind", "/dev/null", path];
  }
}
