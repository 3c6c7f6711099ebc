/** `heddle approvals list`, `show` and `answer`: the open questions of a home, without a server. */

import { createQuestionViews } from "../../runtime/questions/question-views.ts";
import { QUESTION_METHODS, readAnswer } from "../../runtime/questions/read-answer.ts";
import { describeVerdict, showOpen } from "../../runtime/questions/show-question.ts";
import type { OpenQuestion } from "../../store/decisions.ts";
import { parseQuestionId, questionId } from "../../store/question-id.ts";
import type { Store } from "../../store/store.ts";
import {
  type CommandEntry,
  declareCommand,
  type ParsedArguments,
  UsageError,
} from "../command-line/command.ts";
import { globalOptions, jsonOption, limitOption } from "../command-line/options.ts";
import { withHome } from "../home/open-home.ts";
import { renderOpen, renderQuestion } from "./render-question.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const NAME = "heddle approvals";

const list = declareCommand({
  name: "list",
  summary: "Print the open questions of all threads, the oldest first",
  options: [
    { name: "thread", value: "ID", help: "Only the questions of this thread" },
    limitOption(DEFAULT_LIMIT, MAX_LIMIT),
    jsonOption,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle approvals list", description: "What waits for an answer" },
    { command: "heddle approvals list --json", description: "The same, for programs" },
  ],
  run: (args, chain) => withHome(chain, async ({ store }) => printOpen(args, store)),
});

const show = declareCommand({
  name: "show",
  operands: "<ID>",
  summary: "Print one question: what would run, why it is asked, and its answers",
  options: [jsonOption, ...globalOptions],
  examples: [{ command: "heddle approvals show 12", description: "The number is enough" }],
  run: (args, chain) =>
    withHome(chain, async ({ store }) => {
      const question = await findOpen(store, args.operands[0] ?? "");
      const shown = showOpen(question, null, Date.now());
      process.stdout.write(args.flag("json") ? `${JSON.stringify(shown)}\n` : renderQuestion(shown));
      return 0;
    }),
});

const answer = declareCommand({
  name: "answer",
  operands: "<ID> <DECISION>",
  summary: "Answer a question: accept, acceptForSession, decline or cancel",
  details:
    "The first answer counts. A running server that has the thread takes it at once; any `heddle serve` on the home loads a thread that none has. DECISION may be JSON, for an answer that is more than a word.",
  options: [jsonOption, ...globalOptions],
  examples: [
    { command: "heddle approvals answer 12 accept", description: "Run it once" },
    { command: "heddle approvals answer 12 decline", description: "Do not run it; the turn continues" },
  ],
  run: (args, chain) => withHome(chain, async ({ store }) => giveAnswer(args, store)),
});

export const questionCommands: readonly CommandEntry[] = [list, show, answer];

async function printOpen(args: ParsedArguments, { decisions }: Store): Promise<number> {
  const views = createQuestionViews({ find: () => undefined, clock: { now: () => Date.now() } });
  const query = {
    status: "open",
    cursor: null,
    limit: Number(args.value("limit") ?? DEFAULT_LIMIT),
  } as const;
  const { data } = await views.listOpen(decisions, { ...query, threadId: args.value("thread") ?? null });
  if (data.length === 0) process.stderr.write("no open questions\n");
  for (const each of data)
    process.stdout.write(args.flag("json") ? `${JSON.stringify(each)}\n` : renderOpen(each));
  return 0;
}

async function giveAnswer(args: ParsedArguments, store: Store): Promise<number> {
  const [id = "", word = ""] = args.operands;
  const question = await findOpen(store, id);
  const name = questionId(question);
  if (question.question === null)
    throw new Error(
      `question ${name} ends with its server, so that only a client of that server can answer it`,
    );
  const { kind } = question.subject;
  const read = readAnswer(kind, parseDecision(word));
  if (read.kind === "wrong")
    throw new UsageError(`invalid decision '${word}' for ${QUESTION_METHODS[kind]}: ${read.message}`);
  const { outcome, result } = read;
  const by = { kind: "client", name: NAME } as const;
  const recorded = await store.decisions.answer(question, { outcome, by, reason: null }, result);
  if (recorded.kind === "late")
    throw new Error(`question ${name} was ${await describeFirst(store, question)}`);
  const isHeld = await store.isHeld(question.threadId);
  const next = isHeld ? "its server has the answer" : "its turn continues when a server loads the thread";
  const text = `answered: ${name}: ${outcome}; ${next}\n`;
  process.stdout.write(args.flag("json") ? `${JSON.stringify({ id: name, outcome, isHeld })}\n` : text);
  return 0;
}

/** A word, or JSON. */
function parseDecision(word: string): unknown {
  if (!word.startsWith("{")) return word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    throw new UsageError(`invalid decision: not JSON: ${word}`);
  }
}

async function describeFirst({ decisions }: Store, asked: OpenQuestion): Promise<string> {
  const first = await decisions.findAnswer(asked);
  return describeVerdict(showOpen({ ...asked, answer: first }, null, Date.now()));
}

async function findOpen({ decisions }: Store, id: string): Promise<OpenQuestion> {
  const wanted = parseQuestionId(id);
  if (wanted === null) throw new UsageError(`invalid id '${id}': expected one of \`heddle approvals list\``);
  const [found] = await decisions.openQuestions({ after: wanted.number - 1, limit: 1 });
  if (found?.number === wanted.number && (wanted.atMs === null || wanted.atMs === found.atMs)) return found;
  throw new Error(`no question ${id} is open; \`heddle approvals log\` prints the decided ones`);
}
