/**
 * `heddle lifecycle dispatch`: the hook of any harness for a program that knows the neutral vocabulary alone. What the
 * harness has told its hook goes to the program as an event, its answer comes out as the harness takes it, and what
 * became of it is kept as a receipt.
 */
import { randomUUID } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { definedOnly } from "../../base/environment.ts";
import { runHookCommand } from "../../hooks/run/run-command.ts";
import {
  type ContextForm,
  type DispatchEnvelope,
  type Dispatched,
  dispatch,
  findManifest,
  type NeutralEvent,
  read,
  render,
  requestOf,
  WIRE_VERSION,
  withLedger,
} from "../../lifecycle/index.ts";
import { createLocalHost } from "../../process/local-host.ts";
import type { ParsedArguments } from "../command-line/command.ts";
import type { LifecycleCommand } from "./lifecycle-command.ts";
import { INVALID, LifecycleFault, UNSUPPORTED, writeReport } from "./lifecycle-fault.ts";
import { ledgerOption, openLedger } from "./receipts.ts";
import { readJson, requiredValue } from "./translate.ts";

const DEFAULT_SECONDS = 5;

export const dispatchCommand: LifecycleCommand = {
  name: "dispatch",
  summary: "Be the hook of a harness for a program that knows neutral events alone",
  details:
    "Reads what the harness tells its hook from stdin, gives the event to the program, prints its answer as the harness takes it, and keeps a receipt.",
  options: [
    { name: "adapter", value: "ADAPTER", help: "The harness that calls, such as codex or claude" },
    {
      name: "client-cmd",
      value: "COMMAND",
      help: "The program: a dispatch envelope goes to its stdin, a callback response comes from its stdout",
    },
    { name: "client-id", value: "ID", help: "Who it is, in receipts (default lifecycle)" },
    { name: "hook", value: "NAME", help: "The hook, as the harness calls it, where its input does not tell" },
    {
      name: "timeout",
      value: "SECONDS",
      help: `How long the program may take (default ${DEFAULT_SECONDS})`,
      validate: (text) => (/^[1-9]\d{0,2}$/.test(text) ? null : "not a number from 1 to 999"),
    },
    { name: "idempotency-key", value: "KEY", help: "The same one again does not call the program again" },
    {
      name: "form",
      value: "FORM",
      help: "How context is written: for models to read, or as the original does (default readable)",
      choices: ["readable", "compatible"],
    },
    ledgerOption,
  ],
  examples: [
    {
      command:
        "heddle lifecycle install claude --command 'heddle lifecycle dispatch --adapter claude --client-cmd ./client.py'",
      description: "Tell a program in any language of the sessions of Claude Code",
    },
  ],
  run: runDispatch,
};

/** What a failed program ends with: every harness shows it and goes on, but for Copilot CLI, which makes no call then. */
const FAILED = 1;

async function runDispatch(args: ParsedArguments): Promise<number> {
  const adapter = requiredValue(args, "adapter");
  const command = requiredValue(args, "client-cmd");
  const event = await readHookEvent(args, adapter);
  // Nobody is told of it, and the harness nothing.
  if (event === null) return 0;
  const { ledger, continuations, close } = openLedger(args, { readOnly: false });
  const seconds = Number(args.value("timeout") ?? DEFAULT_SECONDS);
  try {
    const ports = {
      client: (envelope: DispatchEnvelope, { signal }: { readonly signal: AbortSignal }) =>
        callProgram(command, envelope, seconds, signal),
      ledger,
      continuations,
      manifestFor: (name: string) => {
        const manifest = findManifest(name);
        return manifest === undefined ? undefined : withLedger(manifest);
      },
      newId: randomUUID,
    };
    const dispatched = await dispatch(envelopeOf(args, event), ports, {
      clientId: args.value("client-id") ?? "lifecycle",
      deadlineMs: seconds * 1000,
      extensions: true,
    });
    return answer(args, event, dispatched);
  } finally {
    close();
  }
}

async function readHookEvent(args: ParsedArguments, adapter: string): Promise<NeutralEvent | null> {
  const hookEventName = args.value("hook");
  const outcome = read(
    adapter,
    await readJson(process.stdin),
    hookEventName === undefined ? {} : { hookEventName },
  );
  if (outcome.ok) return outcome.event;
  const { kind, detail } = outcome.error;
  if (kind === "no_event") return null;
  throw new LifecycleFault(kind === "unknown_event" ? UNSUPPORTED : INVALID, kind, detail);
}

function envelopeOf(args: ParsedArguments, event: NeutralEvent): DispatchEnvelope {
  const key = args.value("idempotency-key");
  const ids = {
    // A harness that asks again under one key asks about the same event.
    eventId: key ?? randomUUID(),
    invocationId: randomUUID(),
    // Receipts are counted by the sessions that they belong to.
    ...(event.harness_session_id !== undefined && { runId: event.harness_session_id }),
    ...(key !== undefined && { idempotencyKey: key }),
  };
  return { schema_version: WIRE_VERSION, request: requestOf(event, ids) };
}

/** Throws in words where there is no answer. */
async function callProgram(
  command: string,
  envelope: DispatchEnvelope,
  timeoutSeconds: number,
  signal: AbortSignal,
): Promise<unknown> {
  const host = createLocalHost();
  try {
    const result = await runHookCommand(
      { host, clock: systemClock },
      {
        argv: ["/bin/sh", "-c", command],
        cwd: process.cwd(),
        env: definedOnly(process.env),
        input: JSON.stringify(envelope),
        timeoutSeconds,
        signal,
      },
    );
    if (result.kind === "failed") throw new Error(result.message);
    if (result.kind !== "exited") throw new Error("it has not answered in time");
    if (result.stderr !== "") process.stderr.write(result.stderr);
    if (result.exitCode !== 0)
      throw new Error(`it ended with code ${result.exitCode ?? "none: it was killed"}`);
    return JSON.parse(result.stdout) as unknown;
  } finally {
    await host.close();
  }
}

/** Prints what the harness shall be told. A failure is told to whoever looks at the hook, and decides nothing. */
function answer(
  args: ParsedArguments,
  { adapter_id, event, hook_event_name }: NeutralEvent,
  dispatched: Dispatched,
): number {
  if (dispatched.kind === "refused") {
    writeReport(dispatched.error.kind, dispatched.error.detail);
    return FAILED;
  }
  const { receipt } = dispatched;
  for (const { code, message } of receipt.warnings ?? []) writeReport(code, message);
  const rendered = render({
    adapter: adapter_id,
    event,
    hookEventName: hook_event_name,
    form: (args.value("form") ?? "readable") as ContextForm,
    result: dispatched.result ?? {},
    // What was to be told to the model has been told.
    ...(dispatched.kind === "recorded" && { payloads: dispatched.placed, faults: dispatched.faults }),
    nowEpochS: receipt.at_epoch_s,
  });
  if (!rendered.ok) throw new LifecycleFault(UNSUPPORTED, rendered.error.kind, rendered.error.detail);
  if (rendered.notExpressed.length > 0) writeReport("not_expressed", rendered.notExpressed);
  process.stdout.write(rendered.stdout);
  return receipt.status === "failed" ? FAILED : rendered.exitCode;
}
