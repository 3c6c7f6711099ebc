import { homedir } from "node:os";
import { resolveHome } from "../../config/home.ts";
import type { Decision } from "../../store/decisions.ts";
import { clipSubject } from "../../store/decisions.ts";
import { renderDecision } from "../approvals/render-decision.ts";
import { type CommandSpec, type ParsedArguments, parseArguments, renderHelp } from "../arguments.ts";
import type { Command } from "../main.ts";

const DEFAULT_LIMIT = 50;

const log: CommandSpec = {
  name: "heddle approvals log",
  summary: "Print what was decided about commands, patches, tools and permissions, the newest last.",
  options: [
    { name: "thread", value: "ID", help: "Only the decisions of this thread" },
    {
      name: "limit",
      value: "N",
      help: `How many of the newest are printed (default ${DEFAULT_LIMIT})`,
      refuse: (text) => (/^[1-9]\d{0,6}$/.test(text) ? null : "not a number from 1 to 9999999"),
    },
    { name: "json", help: "Print one JSON object on each line" },
  ],
  examples: [
    { command: "heddle approvals log", says: "The newest decisions of all threads" },
    { command: "heddle approvals log --thread ID --json", says: "Those of one thread, for programs" },
  ],
};

export const approvals: Command = {
  spec: {
    name: "heddle approvals",
    summary: "Look at what was decided about commands, patches, tools and permissions.",
    options: [],
    subcommands: [{ name: "log", summary: log.summary }],
    examples: log.examples,
  },
  async run(own) {
    if (own.subcommand === null) {
      process.stderr.write(renderHelp(approvals.spec));
      return 2;
    }
    const given = parseArguments(log, own.rest);
    if (given.wantsHelp) process.stdout.write(renderHelp(log));
    else await printLog(given);
    return 0;
  },
};

async function printLog(given: ParsedArguments): Promise<void> {
  const decisions = await readLog(given);
  if (decisions.length === 0) process.stderr.write("no decisions yet\n");
  for (const stored of decisions.reverse()) {
    // What was recorded before may hold more than is recorded today.
    const decision = { ...stored, subject: clipSubject(stored.subject) };
    process.stdout.write(given.flag("json") ? `${JSON.stringify(decision)}\n` : renderDecision(decision));
  }
}

async function readLog(given: ParsedArguments): Promise<Decision[]> {
  const { readDecisions } = await import("../../store/open/home-maintenance.ts");
  const threadId = given.value("thread");
  const limit = Number(given.value("limit") ?? DEFAULT_LIMIT);
  const query = { limit, ...(threadId === undefined ? {} : { threadId }) };
  return readDecisions(resolveHome(process.env, homedir()), query);
}
