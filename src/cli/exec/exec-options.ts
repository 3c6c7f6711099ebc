/** Options of `heddle exec` and its subcommands. */
import type { SandboxMode } from "../../protocol/generated/types.ts";
import type { CommandSpec, OptionSpec } from "../command-line/command.ts";
import { globalOptions } from "../command-line/options.ts";
import { DEFAULT_NETWORK_TIMEOUT_SECONDS } from "./network-timeout.ts";

export type Color = "always" | "never" | "auto";

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

/** Options of the peer that Heddle does not support; programs pass them, so each has an error message with an alternative. */
const unsupported: readonly OptionSpec[] = [
  {
    name: "worktree",
    help: "",
    unsupported: "make one with `git worktree add` and work there with --cd",
  },
  {
    name: "approve-for-me",
    aliases: ["not-so-yolo"],
    help: "",
    unsupported: "there is no automatic review of approvals; choose what commands may touch with --sandbox",
  },
  {
    name: "cyber-access-program",
    value: "PROGRAM",
    help: "",
    unsupported: "it belongs to a hosted service",
  },
];

const options: readonly OptionSpec[] = [
  { name: "model", short: "m", value: "MODEL", help: "The model to ask instead of the configured one" },
  { name: "oss", help: "Ask a model of this machine: that of --local-provider, or of oss_provider" },
  { name: "local-provider", value: "PROVIDER", help: "Who serves it: ollama or lmstudio" },
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
    help: "Run untrusted hooks too. Use it only where all hooks are known",
  },
  { name: "cd", short: "C", value: "DIR", help: "The folder to work in" },
  { name: "add-dir", value: "DIR", repeat: true, help: "A further folder that commands may write to" },
  { name: "skip-git-repo-check", help: "Work in a folder that is in no Git repository" },
  { name: "ephemeral", help: "Keep no history of the thread" },
  { name: "thread-source", value: "SOURCE", help: "What a new thread is said to be for (default user)" },
  { name: "ignore-user-config", help: "Leave out config.toml of the home" },
  { name: "ignore-rules", help: "Leave out the rules about commands, but those of the administrator" },
  { name: "output-schema", value: "FILE", help: "A JSON Schema that the last message is to follow" },
  { name: "output-last-message", short: "o", value: "FILE", help: "Write the last message to this file" },
  {
    name: "json",
    aliases: ["experimental-json"],
    help: "Print events on stdout, a JSON object on each line",
  },
  {
    name: "network-timeout",
    value: "SECONDS",
    help: `Give up when the model provider cannot be reached for so long (default ${DEFAULT_NETWORK_TIMEOUT_SECONDS})`,
    validate: (text) => (/^[1-9]\d{0,5}$/.test(text) ? null : "not a number of seconds from 1 to 999999"),
  },
  { name: "color", value: "COLOR", choices: COLORS, help: "Colours for people" },
  ...globalOptions,
  ...unsupported,
];

export const startSpec: CommandSpec = {
  details:
    "What comes in on stdin is the prompt, or is added to it. The agent's last message is printed on stdout, and what happens on the way on stderr.",
  operands: "[PROMPT]",
  options: [{ ...image, many: true }, ...options],
  examples: [
    {
      command: "heddle exec 'Explain this repository'",
      description: "The answer on stdout, the work on stderr",
    },
    { command: "git diff | heddle exec 'Review this change'", description: "With what comes in" },
    {
      command: "heddle exec --json --sandbox workspace-write 'Fix the tests'",
      description: "Events for programs",
    },
    { command: "heddle exec resume --last 'And now the docs'", description: "Go on where it ended" },
    { command: "heddle exec review --uncommitted", description: "Review what is not committed yet" },
  ],
};

export const resumeSpec: CommandSpec = {
  details: "It is named by its id or name, or is the newest one of this folder.",
  operands: "[THREAD] [PROMPT]",
  options: [
    { name: "last", help: "The newest thread of this folder" },
    { name: "all", help: "Also threads of other folders" },
    image,
    ...options,
  ],
  examples: [
    { command: "heddle exec resume ID 'Try again'", description: "Go on with this thread" },
    { command: "heddle exec resume --last -", description: "Go on with the newest one, prompt from stdin" },
  ],
};

export const forkSpec: CommandSpec = {
  details: "The thread stays as it is. Without a prompt nothing more is done.",
  operands: "<THREAD> [PROMPT]",
  options: [image, ...options],
  examples: [
    {
      command: "heddle exec fork ID 'Try it the other way'",
      description: "Go on with a copy of this thread",
    },
    { command: "heddle exec fork --json ID", description: "Print the id of the copy" },
  ],
};

export const reviewSpec: CommandSpec = {
  details: "One of the options says what is reviewed, or a prompt does; `-` reads it from stdin.",
  operands: "[PROMPT]",
  options: [
    { name: "uncommitted", help: "What is staged, changed or new" },
    { name: "base", value: "BRANCH", help: "What is different from this branch" },
    { name: "commit", value: "SHA", help: "What a commit has changed" },
    { name: "title", value: "TITLE", help: "With --commit: what the commit is called" },
    ...options,
  ],
  examples: [
    { command: "heddle exec review --uncommitted", description: "Before a commit" },
    {
      command: "heddle exec review --base main -o review.md",
      description: "A branch, and the findings to a file",
    },
  ],
};
