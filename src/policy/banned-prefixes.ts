/** Beginnings of commands that say too little to be allowed for good: programs that run whatever they are given. */

const BANNED: ReadonlySet<string> = new Set([
  ...combine(["/bin/bash", "/bin/sh", "/bin/zsh", "bash", "sh", "zsh"], ["", "-c", "-lc"]),
  ...combine(["dash", "fish", "ksh"], ["", "-c"]),
  ...combine(["cmd", "cmd.exe"], ["", "/c", "/k"]),
  ...combine(["powershell", "powershell.exe", "pwsh"], ["", "-Command", "-EncodedCommand", "-File", "-c"]),
  ...combine(["pwsh"], ["-e", "-ec", "-f"]),
  ...combine(["julia", "lua", "node", "nodejs", "perl", "ruby", "bun"], ["", "-e"]),
  ...combine(["python", "python3"], ["", "-", "-c"]),
  ...combine(["php"], ["", "-r"]),
  ...combine(["py"], ["", "-3"]),
  ...combine(["deno"], ["", "eval"]),
  ...combine(["bun", "npm", "pnpm", "yarn"], ["run"]),
  ...combine(["Rscript", "env", "git", "osascript", "pypy", "pypy3", "pythonw", "pyw", "rm", "sudo"], [""]),
]);

function combine(programs: readonly string[], options: readonly string[]): string[] {
  return programs.flatMap((program) =>
    options.map((option) => JSON.stringify(option === "" ? [program] : [program, option])),
  );
}

export function isBannedPrefix(prefix: readonly string[]): boolean {
  return BANNED.has(JSON.stringify(prefix));
}
