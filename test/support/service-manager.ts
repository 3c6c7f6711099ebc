/**
 * Starts `heddle serve` as systemd does: with sockets that it has opened, and with a socket for
 * notifications.
 */
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Child } from "./child.ts";
import { HEDDLE, serverEnvironment } from "./start-server.ts";
import type { TempHome } from "./temp-home.ts";

const PROGRAM = join(import.meta.dirname, "service-manager.pl");

export interface ManagedServer {
  readonly child: Child;
  /** The process id of the server. */
  pid(): Promise<number>;
  /** Waits for a line of the manager: `port N`, or `told …` for each notification. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** The notifications so far, each with its lines joined by `|`. */
  notifications(): string[];
}

export interface ManagedOptions {
  readonly home: TempHome;
  /** The sockets that the manager opens, in the notation of its program. */
  readonly opens: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export function startManaged({ home, opens, args = [], env = {} }: ManagedOptions): ManagedServer {
  const child = new Child({
    command: "perl",
    args: [PROGRAM, ...opens, "--", HEDDLE.command, ...HEDDLE.args, "serve", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home, env),
  });
  onTestFinished(async () => void (await child.stop()));
  let said = "";
  let onOutput = (): void => {};
  child.onStdout((text) => {
    said += text;
    onOutput();
  });
  async function line(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = said
        .split("\n")
        .slice(0, -1)
        .flatMap((each) => pattern.exec(each) ?? []);
      if (found[0] !== undefined) return found as unknown as RegExpExecArray;
      if (child.exited) throw new Error(`the server has ended: ${said}${child.stderr}`);
      await Promise.race([new Promise<void>((resolve) => void (onOutput = resolve)), child.exit]);
    }
  }
  return {
    child,
    line,
    pid: async () => Number((await line(/^pid (\d+)$/u))[1]),
    notifications: () =>
      said.split("\n").flatMap((each) => (each.startsWith("told ") ? [each.slice(5)] : [])),
  };
}
