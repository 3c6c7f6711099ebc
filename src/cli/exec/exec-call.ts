/** How `heddle exec` is called: its options, declared once for the command and for `resume`, and what they ask for. */
import type { SandboxMode } from "../../protocol/generated/types.ts";
import {
  type CommandSpec,
  type OptionSpec,
  type ParsedArguments,
  parseArguments,
  UsageError,
} from "../command-line/arguments.ts";
import { type GlobalSettings, globalOptions, readGlobalSettings } from "../command-line/options.ts";

/** What one call asks for. */
export interface ExecCall {
  readonly settings: GlobalSettings;
  /** Null where it is to be read from stdin; `-` says so in so many words. */
  readonly prompt: string | null;
  /** Null for a new thread. */
  readonly resume: ThreadChoice | null;
  readonly images: readonly string[];
  readonly model: string | null;
  readonly sandbox: SandboxMode | null;
  /** As it was given; null for the folder of the process. */
  readonly folder: string | null;
  readonly writableFolders: readonly string[];
  readonly isAnywhere: boolean;
  readonly isEphemeral: boolean;
  readonly trustsHooks: boolean;
  readonly schemaFile: string | null;
  readonly lastMessageFile: string | null;
  readonly isJson: boolean;
  readonly color: Color;
}

export type Color = "always" | "never" | "auto";

/** The thread to go on with: by its id or name, or the newest one. */
export interface ThreadChoice {
  readonly thread: string | null;
  readonly isLast: boolean;
  /** Also threads of other folders. */
  readonly isAnyFolder: boolean;
}

const SANDBOX_MODES = [
  "read-only",
  "workspace-write",
  "danger-full-access",
] as const satisfies readonly SandboxMode[];
const COLORS = ["always", "never", "auto"] as const satisfies readonly Color[];

const image: OptionSpec = {
  name: "image",
  short: "i",
  value: "FILE",
  repeat: true,
  help: "Show the model an image; several with commas",
};

const options: readonly OptionSpec[] = [
  { name: "model", short: "m", value: "MODEL", help: "The model to ask instead of the configured one" },
  {
    name: "sandbox",
    short: "s",
    value: "SANDBOX_MODE",
    choices: SANDBOX_MODES,
    help: "What commands may touch",
  },
  { name: "full-auto", help: "The same as --sandbox workspace-write" },
  {
    name: "dangerously-bypass-approvals-and-sandbox",
    aliases: ["yolo"],
    help: "Run commands without a sandbox. Only where the machine itself is one",
  },
  {
    name: "dangerously-bypass-hook-trust",
    help: "Run hooks that nobody has trusted. Only where all of them are known",
  },
  { name: "cd", short: "C", value: "DIR", help: "The folder to work in" },
  { name: "add-dir", value: "DIR", repeat: true, help: "A further folder that commands may write to" },
  { name: "skip-git-repo-check", help: "Work in a folder that is in no Git repository" },
  { name: "ephemeral", help: "Keep no history of the thread" },
  { name: "output-schema", value: "FILE", help: "A JSON Schema that the last message is to follow" },
  { name: "output-last-message", short: "o", value: "FILE", help: "Write the last message to this file" },
  {
    name: "json",
    aliases: ["experimental-json"],
    help: "Print events on stdout, a JSON object on each line",
  },
  { name: "color", value: "COLOR", choices: COLORS, help: "Colours for people" },
  ...globalOptions,
];

export const execSpec: CommandSpec = {
  name: "heddle exec",
  summary:
    "Do one thing without asking back: run a turn, print the agent's last message and end. What comes in on stdin is the prompt, or is added to it.",
  operands: "[PROMPT]",
  subcommands: [{ name: "resume", summary: "Go on with a thread" }],
  options: [{ ...image, many: true }, ...options],
  examples: [
    { command: "heddle exec 'Explain this repository'", says: "The answer on stdout, the work on stderr" },
    { command: "git diff | heddle exec 'Review this change'", says: "With what comes in" },
    { command: "heddle exec --json --sandbox workspace-write 'Fix the tests'", says: "Events for programs" },
    { command: "heddle exec resume --last 'And now the docs'", says: "Go on where it ended" },
  ],
};

export const resumeSpec: CommandSpec = {
  name: "heddle exec resume",
  summary: "Go on with a thread: by its id or name, or with the newest one of this folder.",
  operands: "[THREAD] [PROMPT]",
  options: [
    { name: "last", help: "The newest thread of this folder" },
    { name: "all", help: "Also threads of other folders" },
    image,
    ...options,
  ],
  examples: [
    { command: "heddle exec resume ID 'Try again'", says: "Go on with this thread" },
    { command: "heddle exec resume --last -", says: "Go on with the newest one, prompt from stdin" },
  ],
};

/** What is asked for, or the page of help that is. */
export type ReadCall =
  | { readonly kind: "call"; readonly call: ExecCall }
  | { readonly kind: "help"; readonly spec: CommandSpec };

/** Options may stand before `resume` and behind it; what stands behind counts. */
export function readExecCall(own: ParsedArguments, program: ParsedArguments): ReadCall {
  const resumed = own.subcommand === null ? null : parseArguments(resumeSpec, own.rest);
  if (resumed?.wantsHelp === true) return { kind: "help", spec: resumeSpec };
  const places = resumed === null ? [own] : [own, resumed];
  const has = (name: string) => places.some((place) => place.flag(name));
  const all = (name: string) => places.flatMap((place) => place.values(name));
  const last = (name: string) => all(name).at(-1) ?? null;
  const { prompt, resume } = readWords(own.operands, resumed);
  const isUnconfined = has("dangerously-bypass-approvals-and-sandbox");
  return {
    kind: "call",
    call: {
      settings: readGlobalSettings(program, ...places),
      prompt,
      resume,
      images: all("image").flatMap((files) => files.split(",")),
      model: last("model"),
      // The choices of the option are exactly these modes.
      sandbox: isUnconfined
        ? "danger-full-access"
        : ((last("sandbox") as SandboxMode | null) ?? (has("full-auto") ? "workspace-write" : null)),
      folder: last("cd"),
      writableFolders: all("add-dir"),
      isAnywhere: has("skip-git-repo-check") || isUnconfined,
      isEphemeral: has("ephemeral"),
      trustsHooks: has("dangerously-bypass-hook-trust"),
      schemaFile: last("output-schema"),
      lastMessageFile: last("output-last-message"),
      isJson: has("json"),
      color: (last("color") as Color | null) ?? "auto",
    },
  };
}

/** With `--last` the one word is the prompt, and the thread needs none. */
function readWords(
  before: readonly string[],
  resumed: ParsedArguments | null,
): Pick<ExecCall, "prompt" | "resume"> {
  const behind = resumed?.operands ?? [];
  const surplus = before[1] ?? behind[2];
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}' found`);
  if (resumed === null) return { prompt: before[0] ?? null, resume: null };
  const isLast = resumed.flag("last");
  const words = isLast && behind.length === 1 ? [undefined, behind[0]] : behind;
  return {
    prompt: words[1] ?? before[0] ?? null,
    resume: { thread: words[0] ?? null, isLast, isAnyFolder: resumed.flag("all") },
  };
}
