/** One call of the command line on a home, and its result. */
import { onTestFinished } from "vitest";
import { Child } from "./child.ts";
import { HEDDLE, serverEnvironment } from "./start-server.ts";
import type { TempHome } from "./temp-home.ts";

export interface Called {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CallOptions {
  readonly stdin?: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function callHeddle(
  home: TempHome,
  args: readonly string[],
  options: CallOptions = {},
): Promise<Called> {
  return run(home, [HEDDLE.command, ...HEDDLE.args, ...args], options);
}

/** Input that is typed once the screen shows a text. */
export type Typed = readonly [seen: string, keys: string];

/** A call on a terminal, where stdout and stderr are one text. */
export async function callOnTerminal(
  home: TempHome,
  args: readonly string[],
  ...dialog: readonly Typed[]
): Promise<Omit<Called, "stderr">> {
  const command = [HEDDLE.command, ...HEDDLE.args, ...args].map((word) => `'${word}'`).join(" ");
  const child = new Child({
    command: "script",
    args: ["-qec", command, "/dev/null"],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(() => child.stop().then(() => {}));
  const left = [...dialog];
  let screen = "";
  let seen = 0;
  child.onStdout((text) => {
    screen += text;
    const [next] = left;
    if (next === undefined || !screen.slice(seen).includes(next[0])) return;
    seen = screen.length;
    left.shift();
    child.write(next[1]);
  });
  const { code } = await child.exit;
  return { code, stdout: screen.replaceAll("\r\n", "\n") };
}

/** Runs a line in a shell in which `heddle` is the program. */
export async function callInShell(
  home: TempHome,
  line: string,
  shell: readonly string[] = ["bash", "-c"],
): Promise<Called> {
  const [command = "bash", ...options] = shell;
  const program = [HEDDLE.command, ...HEDDLE.args].map((word) => `'${word}'`).join(" ");
  return run(home, [command, ...options, `heddle() { ${program} "$@"; }\n${line}`]);
}

async function run(
  home: TempHome,
  [command = "", ...args]: readonly string[],
  { stdin = "", env = {} }: CallOptions = {},
): Promise<Called> {
  const child = new Child({ command, args, cwd: home.workspace, env: serverEnvironment(home, env) });
  onTestFinished(() => child.stop().then(() => {}));
  child.write(stdin);
  child.endInput();
  const { code } = await child.exit;
  return { code, stdout: child.stdout, stderr: child.stderr };
}
