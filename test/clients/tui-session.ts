/** The terminal client of Codex, connected to a server that listens. */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startServer } from "../support/start-server.ts";
import type { ClientHarness } from "./client.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const TOKEN = "a-token-of-some-length";

/** Settings of the terminal client, in another home than the server's. */
const OWN_CONFIG = `disable_paste_burst = true
check_for_update_on_startup = false
[analytics]
enabled = false
`;

/** A model without an upgrade prompt, and approvals on request. */
const CHOICES = ["-m", "gpt-6-sol", "-a", "on-request", "-s", "read-only"];

export type RemoteTransport = "ws" | "unix";

/** A server, and the options that point programs of Codex to it. */
export interface Remote {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export async function openRemote(
  harness: ClientHarness,
  transport: RemoteTransport = "unix",
): Promise<Remote> {
  const { home, executable } = harness;
  const own = join(home.root, "tui");
  const tokenFile = join(home.root, "token");
  await mkdir(own);
  await writeFile(join(own, "config.toml"), OWN_CONFIG);
  await writeFile(tokenFile, TOKEN);
  execFileSync("git", ["init", "--quiet", home.workspace]);
  const auth = ["--ws-auth", "capability-token", "--ws-token-file", tokenFile];
  const isSocket = transport === "unix";
  const program = { command: executable, args: [] };
  const server = await startServer({ program, transport, home, args: isSocket ? [] : auth });
  harness.onEnd(() => server.stop());
  return isSocket
    ? { flags: ["--remote", `unix://${server.socketPath}`], env: { CODEX_HOME: own } }
    : {
        flags: ["--remote", `ws://${server.address}`, "--remote-auth-token-env", "REMOTE_TOKEN"],
        env: { CODEX_HOME: own, REMOTE_TOKEN: TOKEN },
      };
}

/** Starts the terminal client with a new thread, or with the command that `words` begin with. */
export async function openTui(
  harness: ClientHarness,
  remote: Remote,
  words: readonly string[] = [],
): Promise<Terminal> {
  const command = [harness.peer, ...words, ...remote.flags, ...(words[0] === "resume" ? [] : CHOICES)].join(
    " ",
  );
  const tui = openTerminal(harness, command, remote.env);
  await tui.shows(/for shortcuts|Resume a previous session|Hooks need review/u);
  return tui;
}

/** The terminal client on a server of its own, with one finished turn if `first` is given. */
export async function startTui(harness: ClientHarness, first?: string): Promise<Terminal> {
  const tui = await openTui(harness, await openRemote(harness));
  if (first !== undefined) await sayFirst(tui, first);
  return tui;
}

/** Sends a message and waits until the turn has ended. */
export async function sayFirst(tui: Terminal, text: string): Promise<void> {
  await tui.enter(text);
  await tui.shows(/Hello from the model[\s\S]*Worked for/u);
}

/** The id of the terminal client's thread. */
export async function readThreadId(tui: Terminal): Promise<string> {
  await tui.enter("/status");
  const screen = await tui.shows(/Session: +[0-9a-f-]{36}/u);
  return /Session: +([0-9a-f-]{36})/u.exec(screen)?.[1] ?? "";
}
