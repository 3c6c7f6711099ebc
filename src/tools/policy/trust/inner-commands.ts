/** Commands that programs such as `env`, `sudo`, `xargs` or `find -exec` are told to run. */
import { basename } from "node:path";

type Words = readonly string[];

/**
 * Programs that run the rest of their words as a command. The letters are their short options that take the next
 * word as a value; long ones are only seen through where the value is joined with `=`.
 */
const RUNNERS: Readonly<Record<string, string>> = {
  builtin: "",
  chronic: "",
  command: "",
  doas: "Cu",
  exec: "a",
  ionice: "cnpt",
  nice: "n",
  nohup: "",
  setsid: "",
  stdbuf: "eio",
  sudo: "CDgGhpRrTtuU",
  time: "fo",
  timeout: "ks",
  xargs: "aEIidLlnPs",
};
/** Words between the options and the command: the duration of `timeout`. */
const OPERANDS: Readonly<Record<string, number>> = { timeout: 1 };

/** The commands within a command, one level deep. */
export function innerCommands(words: Words): string[][] {
  const [program, ...args] = words;
  const name = basename(program ?? "");
  if (name === "env") return nonEmpty([afterEnvironment(args)]);
  if (name === "find") return nonEmpty(findCommands(args));
  if (name === "trap" || name === "eval" || name === "su") return scripts(name, args);
  const values = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (values === undefined) return [];
  const command = afterOptions(args, values).slice(OPERANDS[name] ?? 0);
  // An option may not be what it seems, so the words after it are also read as if all of them counted.
  return nonEmpty(command.length === args.length ? [command] : [args, command]);
}

function nonEmpty(commands: readonly Words[]): string[][] {
  return commands.filter((command) => command.length > 0).map((command) => [...command]);
}

function afterOptions(args: Words, values: string): Words {
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return args.slice(at + 1);
    if (!/^-./.test(arg)) break;
    if (arg.length === 2 && values.includes(arg.charAt(1))) at += 1;
  }
  return args.slice(at);
}

function afterEnvironment(args: Words): Words {
  const rest = afterOptions(args, "uCS");
  const command = rest.findIndex((arg) => !/^[^-=][^=]*=/.test(arg));
  return command < 0 ? [] : rest.slice(command);
}

function findCommands(args: Words): Words[] {
  const starts = args.flatMap((arg, index) => (/^-(?:exec|ok)(?:dir)?$/.test(arg) ? [index + 1] : []));
  return starts.map((start) => {
    const length = args.slice(start).findIndex((arg) => arg === ";" || arg === "+");
    return args.slice(start, length < 0 ? undefined : start + length);
  });
}

/** Scripts that are handed over as words. */
function scripts(name: string, args: Words): string[][] {
  const rest = args[0] === "--" ? args.slice(1) : args;
  if (name === "eval") return [["sh", "-c", rest.join(" ")]];
  if (name === "su") {
    const at = rest.findIndex((arg) => arg === "-c" || arg === "--command");
    const script = rest[at + 1];
    return at < 0 || script === undefined ? [] : [["sh", "-c", script]];
  }
  const [action] = rest;
  return action === undefined || action.startsWith("-") ? [] : [["sh", "-c", action]];
}
