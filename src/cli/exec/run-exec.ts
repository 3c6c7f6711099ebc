/** A call of `heddle exec` from its words to the end of its turn, on a server in this process. */
import { stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { systemClock } from "../../base/clock.ts";
import { type Environment, version } from "../../base/environment.ts";
import { messageOf, osErrorText } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { type Client, openClient } from "../../client/client.ts";
import { findGitRoots } from "../../config/project-root.ts";
import { reviewHint } from "../../engine/turn/review-text.ts";
import type { ReviewTarget, UserInput } from "../../protocol/generated/types.ts";
import { openHeddle } from "../../server/heddle.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import { createPaint, paintFor } from "../command-line/paint.ts";
import type { Screen } from "../command-line/progress.ts";
import type { ExecCall } from "./exec-call.ts";
import { openSession, sendThrough, type Workplace } from "./exec-session.ts";
import { type ExecOutput, type ExecWork, type FollowedTurn, followTurn, hearAll } from "./follow-turn.ts";
import { createHumanOutput } from "./human-output.ts";
import { createJsonOutput } from "./json-output.ts";
import { readPrompt } from "./read-prompt.ts";

export interface ExecSurroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly log: Logger;
  /** Ends the turn early. */
  readonly stop: AbortSignal;
  /** From here on a turn runs that is to be ended well. */
  readonly onTurn: () => void;
}

/** The exit code. What cannot be done for a reason that people can mend is said on stderr, without more words. */
export async function runExec(call: ExecCall, around: ExecSurroundings): Promise<number> {
  const say = (line: string): void => void around.stderr.write(`${line}\n`);
  const prepared = await prepare(call, around, say);
  if (prepared.kind === "refused") {
    say(prepared.message);
    return 1;
  }
  const outcome = await runTurn(call, prepared, around);
  if (outcome === null) return 0;
  const { status, lastMessage } = outcome;
  if (status === "completed" && call.lastMessageFile !== null) {
    await keepLastMessage(lastMessage, call.lastMessageFile, around.cwd, say);
  }
  return status === "completed" ? 0 : 1;
}

interface Prepared {
  readonly kind: "prepared";
  /** What is done, in words for people. */
  readonly title: string;
  /** Null where a thread is copied and nothing more. */
  readonly work: ExecWork | null;
  readonly place: Workplace;
}

type Refused = { readonly kind: "refused"; readonly message: string };

/** Everything that can be known to be wrong before anything is started. */
async function prepare(
  call: ExecCall,
  around: ExecSurroundings,
  say: (line: string) => void,
): Promise<Prepared | Refused> {
  const place = await findWorkplace(call, around.cwd);
  const read = await readWork(call, around, say);
  if (read.kind === "refused") return read;
  if (!call.isAnywhere && findGitRoots(place.cwd) === undefined) {
    const message = "Not inside a trusted directory and --skip-git-repo-check was not specified.";
    const advice = `${place.cwd} is in no Git repository, so that nothing could be taken back: run \`git init\`, or use --skip-git-repo-check.`;
    return { kind: "refused", message: `${message}\n${advice}` };
  }
  return { ...read, kind: "prepared", place };
}

type ReadWork = Refused | ({ readonly kind: "read" } & Pick<Prepared, "title" | "work">);

async function readWork(
  call: ExecCall,
  { cwd, stdin }: ExecSurroundings,
  say: (line: string) => void,
): Promise<ReadWork> {
  const { task, prompt: argument } = call;
  if (task.kind === "review" && task.target !== null) return review(task.target);
  if (argument === null && task.kind === "review") {
    const message = "Specify --uncommitted, --base, --commit, or provide custom review instructions";
    return { kind: "refused", message: `Error: ${message}` };
  }
  if (argument === null && task.kind === "fork") return copyOnly(call);
  const prompt = await readPrompt({ argument, takesBoth: task.kind === "start", stdin, say });
  if (prompt.kind === "missing") return { kind: "refused", message: prompt.message };
  if (task.kind === "review") return review({ type: "custom", instructions: prompt.text.trim() });
  const schema = await readSchema(call.schemaFile, cwd);
  if (schema.kind === "refused") return schema;
  const images = call.images.map((image): UserInput => ({ type: "localImage", path: resolve(cwd, image) }));
  const input: UserInput[] = [...images, { type: "text", text: prompt.text }];
  return {
    kind: "read",
    title: prompt.text,
    work: { kind: "message", input, outputSchema: schema.value },
  };
}

function review(target: ReviewTarget): ReadWork {
  if (target.type === "custom" && target.instructions === "")
    return { kind: "refused", message: "Error: Review prompt cannot be empty" };
  return { kind: "read", title: reviewHint(target), work: { kind: "review", target } };
}

/** What only a turn could do cannot be asked for without one. */
function copyOnly({ images, schemaFile, lastMessageFile, isEphemeral }: ExecCall): ReadWork {
  const refuse = (message: string): Refused => ({ kind: "refused", message: `Error: ${message}` });
  if (images.length > 0) return refuse("Forking with images requires a prompt");
  if (schemaFile !== null || lastMessageFile !== null)
    return refuse("Forking with output options requires a prompt");
  if (isEphemeral) return refuse("Ephemeral forks require a prompt");
  return { kind: "read", title: "", work: null };
}

async function findWorkplace({ folder, writableFolders }: ExecCall, cwd: string): Promise<Workplace> {
  const wanted = resolve(cwd, folder ?? ".");
  try {
    if (!(await stat(wanted)).isDirectory()) throw new Error("it is not a folder");
    return { cwd: wanted, folders: writableFolders.map((each) => resolve(wanted, each)) };
  } catch (error) {
    throw new Error(`cannot work in ${wanted}: ${osErrorText(error)}`, { cause: error });
  }
}

const MAX_SCHEMA_BYTES = 4 * 1024 * 1024;

async function readSchema(
  file: string | null,
  cwd: string,
): Promise<Refused | { readonly kind: "schema"; readonly value: unknown }> {
  if (file === null) return { kind: "schema", value: undefined };
  const read = await readRegularFile(resolve(cwd, file), { maxBytes: MAX_SCHEMA_BYTES });
  if (read.kind === "refused")
    return { kind: "refused", message: `Failed to read output schema file ${file}: ${read.message}` };
  try {
    return { kind: "schema", value: JSON.parse(read.bytes.toString("utf8")) };
  } catch (error) {
    const message = `Output schema file ${file} is not valid JSON: ${messageOf(error)}`;
    return { kind: "refused", message };
  }
}

/** Null where no turn was asked for. */
async function runTurn(
  call: ExecCall,
  { title, work, place }: Prepared,
  around: ExecSurroundings,
): Promise<FollowedTurn | null> {
  const { env, log, stop } = around;
  // A thread that is not kept and goes on from none needs nothing of the home but its configuration.
  const isForgotten = call.isEphemeral && call.task.kind !== "resume" && call.task.kind !== "fork";
  const heddle = await openHeddle({
    ...call.settings,
    env,
    cwd: place.cwd,
    log,
    source: "exec",
    ...(isForgotten && { store: "memory" }),
  });
  try {
    const [theirs, ours] = createMemoryTransports();
    heddle.connect(theirs);
    const client = await openClient(ours, {
      // Under this name providers know such calls.
      clientInfo: { name: "codex_exec", title: null, version },
      capabilities: { experimentalApi: true },
    });
    const listening = hearAll(client);
    answerNobody(client);
    const session = await openSession(sendThrough(client), call, place);
    const output = createOutput(call, around);
    output.begin(session, title);
    if (work === null) return null;
    around.onTurn();
    const { networkTimeoutSeconds } = call;
    const turn = { client, listening, session, work, output, stop, networkTimeoutSeconds };
    const outcome = await followTurn({ ...turn, clock: systemClock });
    output.end(outcome);
    return outcome;
  } finally {
    await heddle.close();
  }
}

/** There is nobody to ask; what has no answer at all is refused by the client itself. */
function answerNobody(client: Client): void {
  client.answer("mcpServer/elicitation/request", () => ({ action: "cancel", content: null }));
}

function createOutput(call: ExecCall, { stdout, stderr }: ExecSurroundings): ExecOutput {
  if (call.isJson) return createJsonOutput((line) => void stdout.write(line));
  const paint = call.color === "auto" ? paintFor(stderr) : createPaint(call.color === "always");
  return createHumanOutput({ stdout, stderr, paint, clock: systemClock });
}

async function keepLastMessage(
  message: string | null,
  file: string,
  cwd: string,
  say: (line: string) => void,
): Promise<void> {
  await writeFile(resolve(cwd, file), message ?? "").catch((error: unknown) =>
    say(`Failed to write last message file ${JSON.stringify(file)}: ${osErrorText(error)}`),
  );
  if (message === null) say(`Warning: no last agent message; wrote empty content to ${file}`);
}
