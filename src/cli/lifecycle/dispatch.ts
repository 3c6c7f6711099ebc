/**
 * `heddle lifecycle dispatch` is a hook for any harness: it converts the hook input to a neutral event, sends that to a
 * program, prints the program's answer in the format of the harness, and records a receipt.
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
import { INVALID, LifecycleFault, UNSUPPORTED, writeReport } from "./lifecycle-command.ts";
import { ledgerOption, openLedger } from "./receipts.ts";
import { readJson, requiredOption } from "./translate.ts";

const DEFAULT_SECONDS = 5;

export const dispatchCommand: LifecycleCommand = {
  name: "dispatch",
  summary: "Serve as the hook of a harness for a program that handles neutral events",
  details:
    "Reads the hook input from stdin, sends the event to the program, prints its answer in the format of the harness, and records a receipt.",
  options: [
    { name: "adapter", value: "ADAPTER", help: "The harness that calls, such as codex or claude" },
    {
      name: "client-cmd",
      value: "COMMAND",
      help: "The program: a dispatch envelope goes to its stdin, a callback response comes from its stdout",
    },
    { name: "client-id", value: "ID", help: "The name of the program in receipts (default lifecycle)" },
    {
      name: "hook",
      value: "NAME",
      help: "The harness's name of the hook, where its input does not contain it",
    },
    {
      name: "timeout",
      value: "SECONDS",
      help: `How long the program may take (default ${DEFAULT_SECONDS})`,
      validate: (text) => (/^[1-9]\d{0,2}$/.test(text) ? null : "not a number from 1 to 999"),
    },
    { name: "idempotency-key", value: "KEY", help: "Does not call the program again for a repeated key" },
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
      description: "Send the session events of Claude Code to a program in any language",
    },
  ],
  run: runDispatch,
};

/**
 * The exit code of a failure: every harness shows it and continues, except for Copilot CLI, which then makes no call.
 */
const FAILURE_EXIT_CODE = 1;

async function runDispatch(args: ParsedArguments): Promise<number> {
  const adapter = requiredOption(args, "adapter");
  const command = requiredOption(args, "client-cmd");
  const event = await readHookEvent(args, adapter);
  // No event: the program is not called, and the harness gets no output.
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
    return printAnswer(args, event, dispatched);
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
    // A repeated dispatch under one key is about the same event.
    eventId: key ?? randomUUID(),
    invocationId: randomUUID(),
    // Receipts are numbered per session.
    ...(event.harness_session_id !== undefined && { runId: event.harness_session_id }),
    ...(key !== undefined && { idempotencyKey: key }),
  };
  return { schema_version: WIRE_VERSION, request: requestOf(event, ids) };
}

/** Throws where the program gives no valid answer. */
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
    if (result.kind !== "exited") throw new Error("it did not answer in time");
    if (result.stderr !== "") process.stderr.write(result.stderr);
    if (result.exitCode !== 0)
      throw new Error(`it ended with code ${result.exitCode ?? "none: it was killed"}`);
    return JSON.parse(result.stdout) as unknown;
  } finally {
    await host.close();
  }
}

/** Prints the output for the harness. A failure is reported on stderr, and decides nothing. */
function printAnswer(
  args: ParsedArguments,
  { adapter_id, event, hook_event_name }: NeutralEvent,
  dispatched: Dispatched,
): number {
  if (dispatched.kind === "refused") {
    writeReport(dispatched.error.kind, dispatched.error.detail);
    return FAILURE_EXIT_CODE;
  }
  const { receipt } = dispatched;
  for (const { code, message } of receipt.warnings ?? []) writeReport(code, message);
  const rendered = render({
    adapter: adapter_id,
    event,
    hookEventName: hook_event_name,
    form: (args.value("form") ?? "readable") as ContextForm,
    result: dispatched.result ?? {},
    // A replayed dispatch has delivered its payloads before.
    ...(dispatched.kind === "recorded" && { payloads: dispatched.placed, faults: dispatched.faults }),
    nowEpochS: receipt.at_epoch_s,
  });
  if (!rendered.ok) throw new LifecycleFault(UNSUPPORTED, rendered.error.kind, rendered.error.detail);
  if (rendered.notExpressed.length > 0) writeReport("not_expressed", rendered.notExpressed);
  process.stdout.write(rendered.stdout);
  return receipt.status === "failed" ? FAILURE_EXIT_CODE : rendered.exitCode;
}
