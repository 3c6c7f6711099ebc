/** All commands of the program. Each module is imported on use, so that start-up loads one command only. */
import { version } from "../base/environment.ts";
import type { Command, CommandEntry } from "./command-line/command.ts";
import { globalOptions } from "./command-line/options.ts";

const generators: readonly CommandEntry[] = [
  {
    name: "generate-ts",
    summary: "Print or write the TypeScript declarations of the protocol",
    load: async () => (await import("./commands/generate.ts")).generateTs,
  },
  {
    name: "generate-json-schema",
    summary: "Print or write the JSON Schema of the protocol",
    load: async () => (await import("./commands/generate.ts")).generateJsonSchema,
  },
];

const entries: readonly CommandEntry[] = [
  {
    name: "serve",
    summary: "Serve clients over WebSocket on this machine, with a banner for people",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  {
    name: "app-server",
    summary: "Run the app-server over stdio, a WebSocket or a unix socket",
    load: async () => ({ ...(await import("./commands/app-server.ts")).appServer, subcommands: generators }),
  },
  {
    name: "exec",
    summary: "Run one turn without asking back, and print the result",
    load: async () => (await import("./commands/exec.ts")).exec,
  },
  {
    name: "resume",
    summary: "Go on with a thread: choose one, and say what is to be done",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "threads",
    summary: "Look at threads, search, export, archive and delete them",
    load: async () => (await import("./commands/threads.ts")).threads,
  },
  {
    name: "mcp-server",
    summary: "Offer the agent to other agents as an MCP server over stdio",
    load: async () => (await import("./commands/mcp-server.ts")).mcpServer,
  },
  {
    name: "import",
    summary: "Import the sessions of Claude Code as threads",
    load: async () => (await import("./commands/import.ts")).importTranscripts,
  },
  {
    name: "approvals",
    summary: "Look at what was decided about commands, patches, tools and permissions",
    load: async () => (await import("./commands/approvals.ts")).approvals,
  },
  {
    name: "hooks",
    summary: "List hooks, say which of them may run, and try them",
    load: async () => (await import("./commands/hooks.ts")).hooks,
  },
  {
    name: "queue",
    summary: "Queue turns for threads, and look at what waits",
    load: async () => (await import("./commands/queue.ts")).queueCommand,
  },
  {
    name: "schedule",
    summary: "Queue turns at given times: every night, on weekdays, or once",
    load: async () => (await import("./commands/schedule.ts")).scheduleCommand,
  },
  {
    name: "webhooks",
    summary: "List webhooks and what became of their events, retry, and send a test",
    load: async () => (await import("./commands/webhooks.ts")).webhooksCommand,
  },
  {
    name: "pair",
    summary: "Pair a browser or a phone with this home, list and revoke devices",
    load: async () => (await import("./commands/pair.ts")).pair,
  },
  {
    name: "lifecycle",
    summary: "Attach programs to every harness: read its hooks, render answers, install",
    load: async () => (await import("./commands/lifecycle.ts")).lifecycle,
  },
  {
    name: "backup",
    summary: "Back up the home while servers use it; the copy is a complete home",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  {
    name: "gc",
    summary: "Archive, pack and delete old threads; a dry run without --yes",
    load: async () => (await import("./commands/gc.ts")).gc,
  },
  {
    name: "doctor",
    summary: "Check home, configuration, history, sandbox and model provider; mend history",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  ...generators,
  {
    name: "completion",
    summary: "Print a script that completes commands and options in a shell",
    load: async () => (await import("./commands/completion.ts")).completionOf(program),
  },
  {
    name: "help",
    summary: "Print the page of a command",
    load: async () => (await import("./commands/help.ts")).helpOf(program),
  },
  {
    name: "version",
    summary: "Print the version",
    load: () => ({ options: [], examples: [], run: printVersion }),
  },
];

const root: Command = {
  options: [
    ...globalOptions,
    { name: "version", short: "V", help: "Print the version", replaces: printVersion },
  ],
  subcommands: entries,
  examples: [
    {
      command: "heddle serve",
      description: "Listen on ws://127.0.0.1:4510; then: codex --remote ws://127.0.0.1:4510",
    },
    {
      command: "heddle app-server",
      description: "Speak the protocol on stdin and stdout, as editors and SDKs expect",
    },
    {
      command: "heddle doctor",
      description: "Say what is wrong with this installation and what to do about it",
    },
  ],
};

export const program: CommandEntry = {
  name: "heddle",
  summary: "An app-server for coding agents that speaks the Codex app-server protocol",
  load: () => root,
};

function printVersion(): number {
  process.stdout.write(`heddle ${version}\n`);
  return 0;
}
