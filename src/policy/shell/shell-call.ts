import { basename } from "node:path";

const SHELLS = new Set(["bash", "zsh", "sh"]);

/** The script of `bash -lc <script>` and its like, of which plain commands are judged one by one; null for any other command. */
export function scriptOf(argv: readonly string[]): string | null {
  const [shell, flag, script] = argv;
  if (argv.length !== 3 || shell === undefined || script === undefined) return null;
  return (flag === "-lc" || flag === "-c") && isShell(shell) ? script : null;
}

function isShell(path: string): boolean {
  return SHELLS.has(basename(path).replace(/(?<=.)\.[^.]*$/, ""));
}
