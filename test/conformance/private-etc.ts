/**
 * A private /etc for a server whose scenario has files of the machine-wide configuration folder: a mount namespace of
 * its own in which /etc is a copy, with those files and no others in /etc/codex.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Program } from "../support/start-server.ts";

const PREFIX = "system/";

const SCRIPT = `set -e
mkdir -p "$1"
mount -t tmpfs tmpfs "$1"
cp -a /etc/. "$1"/ 2>/dev/null || true
rm -rf "$1"/codex
cp -a "$2" "$1"/codex
mount --bind "$1" /etc
shift 2
exec "$@"`;

export function needsPrivateEtc(files: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(files ?? {}).some((path) => path.startsWith(PREFIX));
}

export function allowsPrivateEtc(): boolean {
  return spawnSync("unshare", [...unshareArgs(), "true"], { stdio: "ignore" }).status === 0;
}

/** The program with the files below `root/system` as its /etc/codex. */
export function withPrivateEtc({ command, args }: Program, root: string): Program {
  const script = ["sh", "-c", SCRIPT, "sh", join(root, "etc"), join(root, PREFIX)];
  return { command: "unshare", args: [...unshareArgs(), ...script, command, ...args] };
}

function unshareArgs(): string[] {
  const user = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  return ["--mount", "--propagation", "private", ...user];
}
