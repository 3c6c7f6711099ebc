/** The steps that are not messages: processes and signals, HTTP, files, logs, and what the model was asked. */
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { parse } from "smol-toml";
import { Child } from "../support/child.ts";
import { at, isObject, parseJson, pathOf } from "../support/json.ts";
import { matches } from "../support/matches.ts";
import { serverEnvironment } from "../support/start-server.ts";
import { within } from "../support/within.ts";
import { describeConversation } from "./conversation.ts";
import { askHttp } from "./http-probe.ts";
import type { MessageStep } from "./message-steps.ts";
import { fill } from "./placeholders.ts";
import type { HttpStep, RunStep, Step } from "./scenario.ts";
import type { Stage } from "./stage.ts";

const EXIT_DEADLINE = 12_000;

type FactStep = Exclude<Step, MessageStep>;

export async function performFactStep(stage: Stage, step: FactStep): Promise<void> {
  switch (step.do) {
    case "http":
      return await performHttp(stage, step);
    case "run":
      return await performRun(stage, step);
    case "serve":
      return await performServe(stage, step);
    case "endInput":
      stage.child.endInput();
      return;
    case "signal":
      return await performSignal(stage, step);
    case "exit":
      return stage.note(
        "exit",
        await within(stage.child.exit, EXIT_DEADLINE, "the server's exit"),
        step.expect,
      );
    case "restart":
      await stage.stopServer();
      return await stage.start(step.args);
    case "write":
      return await stage.home.write(step.path, fill(step.text, stage.known));
    case "read":
      return stage.note(`file ${step.path}`, await readAs(stage.path(step.path), step.as), step.expect);
    case "log":
      return performLog(stage, step);
    case "model":
      return stage.note("model requests", pickRequests(stage, step.pick), step.expect);
    case "conversation":
      return stage.note("conversation", describeConversation(responseRequests(stage)), step.expect);
    case "modelAsked":
      return await within(
        stage.model.arrived(step.times),
        EXIT_DEADLINE,
        `${step.times} requests to the model`,
      );
    case "release":
      stage.model.release();
  }
}

async function performHttp(stage: Stage, step: HttpStep): Promise<void> {
  const { address, socketPath } = stage.server;
  const answer = await askHttp({ address, socketPath }, fill(step, stage.known), new Date());
  stage.note(`http ${step.upgrade ? "upgrade" : (step.method ?? "GET")} ${step.path}`, answer, step.expect);
}

function startProgram(stage: Stage, args: readonly string[], env: RunStep["env"] = {}): Child {
  const { program } = stage;
  return new Child({
    command: program.command,
    args: [...program.args, ...fill(args, stage.known)],
    cwd: stage.home.workspace,
    env: serverEnvironment(stage.home, fill({ ...stage.scenario.env, ...env }, stage.known)),
  });
}

async function performServe(stage: Stage, step: Extract<Step, { do: "serve" }>): Promise<void> {
  const child = startProgram(stage, step.args);
  const file = stage.path(step.until);
  const appears = async (): Promise<void> => {
    while (!existsSync(file) && !child.exited) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  try {
    await within(appears(), EXIT_DEADLINE, `the file ${step.until}`);
    const mode = existsSync(file) ? ((await stat(file)).mode & 0o777).toString(8) : null;
    stage.note(`serve ${step.args.join(" ")}`, { mode }, step.expect);
  } finally {
    await child.stop();
  }
}

async function performRun(stage: Stage, step: RunStep): Promise<void> {
  const child = startProgram(stage, step.args, step.env);
  child.endInput();
  try {
    const { code } = await within(child.exit, EXIT_DEADLINE, `the exit of ${step.args.join(" ")}`);
    const said = fill(step.stderr ?? [], stage.known).map((text) => [text, child.stderr.includes(text)]);
    stage.note(`run ${step.args.join(" ")}`, { code, stderr: Object.fromEntries(said) }, step.expect);
  } finally {
    await child.stop();
  }
}

async function performSignal(stage: Stage, step: Extract<Step, { do: "signal" }>): Promise<void> {
  const { child } = stage;
  child.signal(step.signal);
  if (step.staysFor === undefined) return;
  const stays = new Promise<boolean>((resolve) => setTimeout(resolve, step.staysFor, true));
  stage.note(`stays after ${step.signal}`, await Promise.race([stays, child.exit.then(() => false)]), true);
}

async function readAs(path: string, as: Extract<Step, { do: "read" }>["as"]): Promise<unknown> {
  if (as === "exists") return existsSync(path);
  if (!existsSync(path)) return null;
  const text = await readFile(path, "utf8");
  if (as === "toml") return parse(text);
  if (as === "jsonl") return text.split("\n").filter(Boolean).map(parseJson);
  return as === "json" ? parseJson(text) : text;
}

function performLog(stage: Stage, step: Extract<Step, { do: "log" }>): void {
  const events = stage.child.stderr.split("\n").map(parseJson).filter(isObject);
  const found = events.find((event) => matches(event, fill(step.where, stage.known)));
  stage.note("log event", found === undefined ? null : { ...found, timestamp: "<time>" }, step.expect);
}

/** Members of each request for a response; JSON that travels inside a string is read. */
function pickRequests(stage: Stage, pointers: readonly string[]): unknown[] {
  return responseRequests(stage).map((request) =>
    Object.fromEntries(
      pointers.map((pointer) => {
        const value = at(request, pathOf(pointer));
        return [pointer, typeof value === "string" ? (parseJson(value) ?? value) : (value ?? null)];
      }),
    ),
  );
}

function responseRequests(stage: Stage) {
  return stage.model.requests.filter(({ path }) => path.endsWith("/responses"));
}
