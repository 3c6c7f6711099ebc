/** Runs a call of `heddle exec` on an in-process server. */
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
import { createJsonOutput } from "./exec-events.ts";
import { createSend, type ExecWorkspace, openSession } from "./exec-session.ts";
import {
  bufferNotices,
  type ExecOutput,
  type ExecWork,
  type FollowedTurn,
  followTurn,
} from "./follow-turn.ts";
import { createHumanOutput } from "./human-output.ts";
import { readPrompt } from "./read-prompt.ts";

export interface ExecContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly log: Logger;
  /** Interrupts the turn. */
  readonly stop: AbortSignal;
  /** Called before the turn starts; from then on signals must interrupt it. */
  readonly onTurn: () => void;
}

/** Returns the exit code. Errors that the user can correct are printed on stderr as they are. */
export async function runExec(call: ExecCall, context: ExecContext): Promise<number> {
  const printLine = (line: string): void => void context.stderr.write(`${line}\n`);
  const prepared = await prepare(call, context, printLine);
  if (prepared.kind === "refused") {
    printLine(prepared.message);
    return 1;
  }
  const outcome = await runTurn(call, prepared, context);
  if (outcome === null) return 0;
  const { status, lastMessage } = outcome;
  if (status === "completed" && call.lastMessageFile !== null) {
    await writeLastMessage(lastMessage, call.lastMessageFile, context.cwd, printLine);
  }
  return status === "completed" ? 0 : 1;
}

interface Prepared {
  readonly kind: "prepared";
  /** Shown as the prompt of the turn. */
  readonly title: string;
  /** Null for a fork without a prompt. */
  readonly work: ExecWork | null;
  readonly workspace: ExecWorkspace;
}

type Refused = { readonly kind: "refused"; readonly message: string };

/** Runs all checks that need no server. */
async function prepare(
  call: ExecCall,
  context: ExecContext,
  printLine: (line: string) => void,
): Promise<Prepared | Refused> {
  const workspace = await resolveWorkspace(call, context.cwd);
  const read = await readWork(call, context, printLine);
  if (read.kind === "refused") return read;
  if (!call.isAnywhere && findGitRoots(workspace.cwd) === undefined) {
    const message = "Not inside a trusted directory and --skip-git-repo-check was not specified.";
    const advice = `${workspace.cwd} is in no Git repository, so that nothing could be taken back: run \`git init\`, or use --skip-git-repo-check.`;
    return { kind: "refused", message: `${message}\n${advice}` };
  }
  return { ...read, kind: "prepared", workspace };
}

type ReadWork = Refused | ({ readonly kind: "read" } & Pick<Prepared, "title" | "work">);

async function readWork(
  call: ExecCall,
  { cwd, stdin }: ExecContext,
  printLine: (line: string) => void,
): Promise<ReadWork> {
  const { task, prompt: argument } = call;
  if (task.kind === "review" && task.target !== null) return review(task.target);
  if (argument === null && task.kind === "review") {
    const message = "Specify --uncommitted, --base, --commit, or provide custom review instructions";
    return { kind: "refused", message: `Error: ${message}` };
  }
  if (argument === null && task.kind === "fork") return copyOnly(call);
  const prompt = await readPrompt({ argument, takesBoth: task.kind === "start", stdin, printLine });
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

/** Rejects options that need a turn. */
function copyOnly({ images, schemaFile, lastMessageFile, isEphemeral }: ExecCall): ReadWork {
  const refuse = (message: string): Refused => ({ kind: "refused", message: `Error: ${message}` });
  if (images.length > 0) return refuse("Forking with images requires a prompt");
  if (schemaFile !== null || lastMessageFile !== null)
    return refuse("Forking with output options requires a prompt");
  if (isEphemeral) return refuse("Ephemeral forks require a prompt");
  return { kind: "read", title: "", work: null };
}

async function resolveWorkspace({ folder, writableFolders }: ExecCall, cwd: string): Promise<ExecWorkspace> {
  const path = resolve(cwd, folder ?? ".");
  try {
    if (!(await stat(path)).isDirectory()) throw new Error("it is not a folder");
    return { cwd: path, folders: writableFolders.map((each) => resolve(path, each)) };
  } catch (error) {
    throw new Error(`cannot work in ${path}: ${osErrorText(error)}`, { cause: error });
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

/** Null if no turn was requested. */
async function runTurn(
  call: ExecCall,
  { title, work, workspace }: Prepared,
  context: ExecContext,
): Promise<FollowedTurn | null> {
  const { env, log, stop } = context;
  // An ephemeral thread without a source thread needs only the configuration of the home.
  const needsNoStore = call.isEphemeral && call.task.kind !== "resume" && call.task.kind !== "fork";
  const heddle = await openHeddle({
    ...call.settings,
    env,
    cwd: workspace.cwd,
    log,
    source: "exec",
    ...(needsNoStore && { store: "memory" }),
  });
  try {
    const [serverTransport, clientTransport] = createMemoryTransports();
    heddle.connect(serverTransport);
    const client = await openClient(clientTransport, {
      // Providers identify such calls by this name.
      clientInfo: { name: "codex_exec", title: null, version },
      capabilities: { experimentalApi: true, resumableEvents: false },
    });
    const notices = bufferNotices(client);
    cancelElicitations(client);
    const session = await openSession(createSend(client), call, workspace);
    const output = createOutput(call, context);
    output.begin(session, title);
    if (work === null) return null;
    context.onTurn();
    const { networkTimeoutSeconds } = call;
    const turn = { client, notices, session, work, output, stop, networkTimeoutSeconds };
    const outcome = await followTurn({ ...turn, clock: systemClock });
    output.end(outcome);
    return outcome;
  } finally {
    await heddle.close();
  }
}

/** No user can answer. Other server requests are rejected by the client itself. */
function cancelElicitations(client: Client): void {
  client.answer("mcpServer/elicitation/request", () => ({ action: "cancel", content: null }));
}

function createOutput(call: ExecCall, { stdout, stderr }: ExecContext): ExecOutput {
  if (call.isJson) return createJsonOutput((line) => void stdout.write(line));
  const paint = call.color === "auto" ? paintFor(stderr) : createPaint(call.color === "always");
  return createHumanOutput({ stdout, stderr, paint, clock: systemClock });
}

async function writeLastMessage(
  message: string | null,
  file: string,
  cwd: string,
  printLine: (line: string) => void,
): Promise<void> {
  await writeFile(resolve(cwd, file), message ?? "").catch((error: unknown) =>
    printLine(`Failed to write last message file ${JSON.stringify(file)}: ${osErrorText(error)}`),
  );
  if (message === null) printLine(`Warning: no last agent message; wrote empty content to ${file}`);
}
