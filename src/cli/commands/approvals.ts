import { homedir } from "node:os";
import { printable } from "../../base/printable.ts";
import { joinWords } from "../../base/shlex.ts";
import { resolveHome } from "../../config/home.ts";
import { clipSubject, type DecidedBy, type StoredDecision } from "../../store/decisions.ts";
import { describeSubject } from "../approvals/describe-subject.ts";
import { questionCommands } from "../approvals/question-commands.ts";
import { type Command, declareCommand, type ParsedArguments } from "../command-line/command.ts";
import { jsonOption, limitOption } from "../command-line/options.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 9_999_999;

const OUTCOMES = ["open", "approved", "denied", "cancelled"] as const;

const log = declareCommand({
  name: "log",
  summary: "Print what was decided about commands, patches, tools and permissions, the newest last",
  options: [
    { name: "thread", value: "ID", help: "Only the decisions of this thread" },
    {
      name: "outcome",
      value: "OUTCOME",
      help: `Only those with this outcome: ${OUTCOMES.join(", ")}`,
      validate: (text) =>
        OUTCOMES.some((each) => each === text) ? null : `not one of ${OUTCOMES.join(", ")}`,
    },
    { name: "text", value: "TEXT", help: "Only those whose subject, reason or client contains the text" },
    limitOption(DEFAULT_LIMIT, MAX_LIMIT),
    jsonOption,
  ],
  examples: [
    { command: "heddle approvals log", description: "The newest decisions of all threads" },
    { command: "heddle approvals log --outcome denied --text npm", description: "Denied ones about npm" },
    { command: "heddle approvals log --thread ID --json", description: "Those of one thread, for programs" },
  ],
  async run(args) {
    await printLog(args);
    return 0;
  },
});

export const approvals: Command = {
  details: "Works whether or not a server runs.",
  options: [],
  subcommands: [...questionCommands, log],
  examples: [
    { command: "heddle approvals list", description: "The open questions of all threads" },
    { command: "heddle approvals answer 12 accept", description: "Answer one of them" },
    { command: "heddle approvals log", description: "The newest decisions of all threads" },
  ],
};

async function printLog(args: ParsedArguments): Promise<void> {
  const decisions = await readLog(args);
  if (decisions.length === 0) process.stderr.write("no decisions yet\n");
  for (const stored of decisions.reverse()) {
    // Older records may contain longer subjects than are recorded today.
    const decision = { ...stored, subject: clipSubject(stored.subject) };
    process.stdout.write(args.flag("json") ? `${JSON.stringify(decision)}\n` : renderDecision(decision));
  }
}

async function readLog(args: ParsedArguments): Promise<StoredDecision[]> {
  const { readDecisions } = await import("../../store/open/home-maintenance.ts");
  const { findDecisions } = await import("../../runtime/questions/find-decisions.ts");
  const home = resolveHome(process.env, homedir());
  const { data } = await findDecisions((query) => readDecisions(home, query), {
    threadId: args.value("thread") ?? null,
    outcome: OUTCOMES.find((each) => each === args.value("outcome")) ?? null,
    text: args.value("text") ?? null,
    limit: Number(args.value("limit") ?? DEFAULT_LIMIT),
  });
  return [...data];
}

/** Renders a decision: time, outcome, subject, and who decided with which reason. */
export function renderDecision({ atMs, threadId, itemId, subject, verdict }: StoredDecision): string {
  const outcome = (verdict?.outcome ?? "open").padEnd(9);
  const first = `${new Date(verdict?.atMs ?? atMs).toISOString()}  ${outcome}  ${describeSubject(subject)}\n`;
  const by = verdict === null ? "nobody has answered yet" : describeBy(verdict.by);
  const reason = verdict?.reason == null ? "" : `: ${printable(verdict.reason)}`;
  return `${first}${" ".repeat(26)}${by}${reason}  (${printable(`${threadId} ${itemId}`)})\n`;
}

/** The subject of the token identifies the client; the name that it chose is shown beside it. */
function describeClient({ name, subject }: Extract<DecidedBy, { kind: "client" }>): string {
  const client = name === null ? "a client" : `the client ${printable(name)}`;
  return subject === undefined ? `by ${client}` : `by ${printable(subject)}, with ${client}`;
}

function describeBy(by: DecidedBy): string {
  switch (by.kind) {
    case "policy":
      return "by the approval policy";
    case "rule":
      return `by the rule for ${printable(joinWords(by.prefix))}${by.file === null ? "" : ` in ${printable(by.file)}`}`;
    case "sessionGrant":
      return "by an earlier answer for the session";
    case "client":
      return describeClient(by);
    case "hook":
      return "by a hook";
    case "timeOut":
      return "by time-out";
    case "interruption":
      return "by interruption";
    case "failure":
      return "by failure";
  }
}
