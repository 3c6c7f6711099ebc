import { readFileSync } from "node:fs";
import { arch, hostname, platform, release } from "node:os";
import type { Environment } from "../../base/environment.ts";
import type { SessionSource } from "../../protocol/generated/types.ts";
import { peerVersion } from "../../protocol/peer-methods.ts";

const DEFAULT_ORIGINATOR = "codex_cli_rs";

/** The names under which the server identifies itself to clients and model providers. */
export interface Identity {
  /**
   * Adopts a client's name: the first one becomes the originator, the latest one the suffix of the user
   * agent.
   */
  adopt(clientName: string, clientVersion: string): void;
  readonly originator: string;
  readonly userAgent: string;
  readonly serverName: string;
  /** The source of new threads. */
  readonly source: SessionSource;
}

export function createIdentity(env: Environment, source: SessionSource = "vscode"): Identity {
  const override = env["CODEX_INTERNAL_ORIGINATOR_OVERRIDE"] ?? null;
  let originator = override !== null && isHeaderValue(override) ? override : null;
  let suffix = "";
  let system: string | null = null;

  return {
    adopt(clientName, clientVersion) {
      originator ??= clientName;
      suffix = ` (${clientName}; ${clientVersion})`;
    },
    get originator() {
      return originator ?? DEFAULT_ORIGINATOR;
    },
    get userAgent() {
      system ??= `(${describeSystem()}; ${describeProcessor()}) ${describeTerminal(env)}`;
      return toHeaderValue(`${originator ?? DEFAULT_ORIGINATOR}/${peerVersion} ${system}${suffix}`);
    },
    serverName: hostname(),
    source,
  };
}

/** Whether a text is valid in an HTTP header: visible characters, spaces, tabs and bytes beyond ASCII. */
export function isHeaderValue(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  return !/[\u0000-\u0008\u000a-\u001f\u007f]/.test(text);
}

function toHeaderValue(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is replaced
  return text.replaceAll(/[\u0000-\u001f\u007f]/g, "_");
}

function describeSystem(): string {
  if (platform() === "darwin") return `Mac OS ${release()}`;
  if (platform() !== "linux") return `${platform()} ${release()}`;
  try {
    const text = readFileSync("/etc/os-release", "utf8");
    const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)`, "m").exec(text)?.[1] ?? "";
    const name = field("NAME").replace(/ GNU\/Linux$/, "");
    return `${name} ${threePartVersion(field("VERSION_ID"))}`;
  } catch {
    return `Linux ${release()}`;
  }
}

function threePartVersion(version: string): string {
  const parts = version === "" ? [] : version.split(".");
  return [...parts, "0", "0", "0"].slice(0, 3).join(".");
}

function describeProcessor(): string {
  const names: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64", ia32: "i686" };
  return names[arch()] ?? arch();
}

function describeTerminal(env: Environment): string {
  const program = env["TERM_PROGRAM"];
  if (program === undefined || program === "") return env["TERM"] || "unknown";
  const version = env["TERM_PROGRAM_VERSION"];
  return version === undefined || version === "" ? program : `${program}/${version}`;
}
