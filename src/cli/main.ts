import { version } from "../base/environment.ts";
import { printableLines } from "../base/printable.ts";
import {
  type Command,
  type CommandSpec,
  parseArguments,
  renderHelp,
  renderUsage,
  UsageError,
} from "./command-line/arguments.ts";
import { globalOptions } from "./command-line/options.ts";

type LoadCommand = () => Promise<Command>;

/** Every command is loaded when it is called, so that none pays for another. */
const commands: Readonly<Record<string, { summary: string; load: LoadCommand }>> = {
  serve: {
    summary: "Serve clients over WebSocket on this machine, with a banner for people",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  "app-server": {
    summary: "Run the app-server over stdio, a WebSocket or a unix socket",
    load: async () => (await import("./commands/app-server.ts")).appServer,
  },
  exec: {
    summary: "Run one turn without asking back, and print what came of it",
    load: async () => (await import("./commands/exec.ts")).exec,
  },
  "mcp-server": {
    summary: "Offer the agent to other agents as an MCP server over stdio",
    load: async () => (await import("./commands/mcp-server.ts")).mcpServer,
  },
  import: {
    summary: "Import the sessions of Claude Code as threads",
    load: async () => (await import("./commands/import.ts")).importTranscripts,
  },
  approvals: {
    summary: "Look at what was decided about commands, patches, tools and permissions",
    load: async () => (await import("./commands/approvals.ts")).approvals,
  },
  hooks: {
    summary: "List hooks, say which of them may run, and try them",
    load: async () => (await import("./commands/hooks.ts")).hooks,
  },
  queue: {
    summary: "Queue turns for threads, and look at what waits",
    load: async () => (await import("./commands/queue.ts")).queue,
  },
  lifecycle: {
    summary: "Attach programs to every harness: read its hooks, render answers, install",
    load: async () => (await import("./commands/lifecycle.ts")).lifecycle,
  },
  doctor: {
    summary: "Check home, configuration, history, sandbox and model provider; mend history",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  "generate-ts": {
    summary: "Print or write the TypeScript declarations of the protocol",
    load: async () => (await import("./commands/generate.ts")).generateTs,
  },
  "generate-json-schema": {
    summary: "Print or write the JSON Schema of the protocol",
    load: async () => (await import("./commands/generate.ts")).generateJsonSchema,
  },
};

const program: CommandSpec = {
  name: "heddle",
  summary: "An app-server for coding agents that speaks the Codex app-server protocol.",
  options: [...globalOptions, { name: "version", short: "V", help: "Print the version" }],
  subcommands: Object.entries(commands).map(([name, { summary }]) => ({ name, summary })),
  examples: [
    {
      command: "heddle serve",
      says: "Listen on ws://127.0.0.1:4510; then: codex --remote ws://127.0.0.1:4510",
    },
    {
      command: "heddle app-server",
      says: "Speak the protocol on stdin and stdout, as editors and SDKs expect",
    },
    { command: "heddle doctor", says: "Say what is wrong with this installation and what to do about it" },
  ],
};

export async function warmUp(): Promise<void> {
  await (await import("./warm-up.ts")).warmUp();
}

/** How the launcher `apply_patch` calls; it is not meant for people. */
const AS_APPLY_PATCH = "--run-as-apply-patch";

export async function main(argv: readonly string[]): Promise<void> {
  const [first, ...rest] = argv;
  if (first !== AS_APPLY_PATCH) process.exitCode = await runProgram(argv);
  else process.exitCode = await (await import("./run-as-apply-patch.ts")).runAsApplyPatch(rest);
}

async function runProgram(argv: readonly string[]): Promise<number> {
  let spec = program;
  try {
    const outer = parseArguments(program, argv);
    if (outer.flag("version")) return print(`heddle ${version}\n`);
    const chosen = outer.subcommand === null ? undefined : commands[outer.subcommand];
    if (chosen === undefined) return print(renderHelp(program), outer.wantsHelp ? 0 : 2);
    let command = await chosen.load();
    spec = command.spec;
    let own = parseArguments(spec, outer.rest);
    const nested = own.subcommand === null ? undefined : commands[own.subcommand];
    if (nested !== undefined) {
      command = await nested.load();
      spec = command.spec;
      own = parseArguments(spec, own.rest);
    }
    if (own.wantsHelp || outer.wantsHelp) return print(renderHelp(spec));
    return await command.run(own, outer);
  } catch (error) {
    if (error instanceof UsageError) {
      const usage = `error: ${error.message}\n\n${renderUsage(spec)}\n\nFor more information, try '--help'.\n`;
      process.stderr.write(usage);
      return 2;
    }
    process.stderr.write(
      `Error: ${printableLines(error instanceof Error ? error.message : String(error))}\n`,
    );
    return 1;
  }
}

function print(text: string, code = 0): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}
