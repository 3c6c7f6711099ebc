/** The steps that send and await messages on a connection. */
import { at } from "../support/json.ts";
import { within } from "../support/within.ts";
import { headerTexts } from "./http-probe.ts";
import { fill } from "./placeholders.ts";
import type { CallStep, Step } from "./scenario.ts";
import { type Connection, nameOn, type Stage } from "./stage.ts";

const ANSWER_DEADLINE = 8_000;
const QUIET = 150;

export type MessageStep = Extract<
  Step,
  {
    do:
      | "call"
      | "send"
      | "reply"
      | "notify"
      | "raw"
      | "frame"
      | "lastFrame"
      | "await"
      | "answer"
      | "answerOpen"
      | "settle"
      | "connect"
      | "close";
  }
>;

export async function performMessageStep(stage: Stage, step: MessageStep): Promise<void> {
  switch (step.do) {
    case "call":
      return await performCall(stage, step);
    case "reply":
      return await performReply(stage, step);
    case "await":
      return await performAwait(stage, step);
    case "answer":
      return await performAnswer(stage, step);
    case "answerOpen":
      return await performAnswerOpen(stage, step);
    case "connect":
      await stage.connect(step.as, {
        headers: headerTexts(fill(step.headers ?? {}, stage.known), new Date()),
        ...(step.path === undefined ? {} : { path: step.path }),
      });
      return;
    default:
  }
  const connection = await stage.connection(step.on);
  const { client } = connection;
  switch (step.do) {
    case "send":
      sendLabelled(connection, step.as, () => client.send(step.method, fill(step.params, stage.known)));
      return;
    case "notify":
      client.notify(step.method, fill(step.params, stage.known));
      return;
    case "raw":
      client.wire.send(fill(step.text, stage.known));
      return;
    case "frame":
      return await performFrame(stage, connection, step);
    case "lastFrame":
      return client.wire.sendLastFrame();
    case "settle":
      return await client.quiet(step.milliseconds ?? QUIET);
    case "close":
      client.wire.close();
      return await within(client.wire.ended, 5_000, `the end of connection ${connection.name}`);
  }
}

async function performCall(stage: Stage, step: CallStep): Promise<void> {
  const connection = await stage.connection(step.on);
  const { client } = connection;
  const id = sendLabelled(connection, step.as, () =>
    client.send(step.method, fill(step.params, stage.known), step.id),
  );
  const message = await client.response(id, ANSWER_DEADLINE);
  stage.known.set(step.as, message);
  stage.check(nameOn(connection, `response ${step.as}`), message, step.expect);
  if (step.settles === true) await client.quiet(QUIET);
}

function sendLabelled(connection: Connection, label: string, send: () => string | number): string | number {
  const id = send();
  connection.labels.set(id, label);
  return id;
}

async function performReply(stage: Stage, step: Extract<Step, { do: "reply" }>): Promise<void> {
  for (const connection of stage.connections) {
    for (const [id, label] of connection.labels) {
      if (label !== step.to) continue;
      const message = await connection.client.response(id as string | number, ANSWER_DEADLINE);
      stage.known.set(step.to, message);
      stage.check(nameOn(connection, `response ${label}`), message, step.expect);
      return;
    }
  }
  throw new Error(`the scenario sent nothing labelled ${step.to}`);
}

async function performAwait(stage: Stage, step: Extract<Step, { do: "await" }>): Promise<void> {
  const { client } = await stage.connection(step.on);
  const message = await client.next(fill(step.message, stage.known), ANSWER_DEADLINE);
  if (step.as !== undefined) stage.known.set(step.as, message);
}

async function performAnswer(stage: Stage, step: Extract<Step, { do: "answer" }>): Promise<void> {
  const { id } = stage.known.get(step.to) as { id: string | number };
  const { client } = await stage.connection();
  const body = step.error === undefined ? { result: step.result } : { error: step.error };
  client.wire.send(JSON.stringify({ id, ...fill(body, stage.known) }));
}

async function performAnswerOpen(stage: Stage, step: Extract<Step, { do: "answerOpen" }>): Promise<void> {
  const { client } = await stage.connection();
  const isResolved = (id: unknown) =>
    client.received.some(
      ({ method, message }) =>
        method === "serverRequest/resolved" && at(message, ["params", "requestId"]) === id,
    );
  for (const { kind, message } of client.received) {
    if (kind !== "request" || isResolved(message["id"])) continue;
    client.wire.send(JSON.stringify({ id: message["id"], result: fill(step.result, stage.known) }));
  }
}

async function performFrame(
  stage: Stage,
  connection: Connection,
  step: Extract<Step, { do: "frame" }>,
): Promise<void> {
  const { wire } = connection.client;
  const bytes = Buffer.from(fill(step.text, stage.known));
  if (step.kind === "binary") {
    wire.sendFrame("binary", bytes);
    return;
  }
  const pong = new Promise<Uint8Array>((resolve) => {
    wire.onPong(resolve);
  });
  wire.sendFrame("ping", bytes);
  const answer = await within(pong, ANSWER_DEADLINE, "the pong to a ping");
  stage.note("pong", Buffer.from(answer).toString("utf8"), step.text);
}
