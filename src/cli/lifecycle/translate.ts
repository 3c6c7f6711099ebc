/**
 * `heddle lifecycle render`, `read` and `negotiate`: translate JSON from stdin to stdout, between a harness and the
 * neutral vocabulary.
 */
import type { Readable } from "node:stream";
import { messageOf } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import {
  CAPABILITY_KINDS,
  type CapabilityNeed,
  type ContextForm,
  EVENT_NAMES,
  type EventName,
  findManifest,
  findPayloadFaults,
  isEventName,
  type LifecycleResult,
  negotiate,
  type PayloadEnvelope,
  parseDirective,
  parsePayloadEnvelope,
  parseRenderablePayload,
  parseResult,
  REQUIREMENTS,
  type RenderablePayload,
  type Rendering,
  type RenderRequest,
  read,
  render,
  resultOfDirective,
  SUPPORT_STATES,
  wireErrorText,
} from "../../lifecycle/index.ts";
import { type OptionSpec, type ParsedArguments, UsageError } from "../command-line/command.ts";
import { readStdin } from "../command-line/read-stdin.ts";
import type { LifecycleCommand } from "./lifecycle-command.ts";
import { INVALID, LifecycleFault, UNSUPPORTED, writeReport } from "./lifecycle-command.ts";

const adapter: OptionSpec = {
  name: "adapter",
  value: "ADAPTER",
  help: "The harness, such as codex or claude",
};
const hook: OptionSpec = {
  name: "hook",
  value: "NAME",
  help: "The harness's name of the hook, where the event or the input does not determine it",
};

export const renderCommand: LifecycleCommand = {
  name: "render",
  summary: "Print the hook output for a harness",
  details:
    'Reads {"payloads": [...], "directive": null} from stdin; a directive is {"kind": "allow"} or {"kind": "block", "reason": "..."}, and a whole "result" may replace it. Parts that the harness cannot express are reported on stderr.',
  options: [
    adapter,
    {
      name: "event",
      value: "EVENT",
      help: "The neutral event that is answered",
      validate: (text) => (isEventName(text) ? null : `expected one of ${EVENT_NAMES.join(", ")}`),
    },
    hook,
    {
      name: "form",
      value: "FORM",
      help: "How context is written: as the original does, or for models to read (default compatible)",
      choices: ["compatible", "readable"],
    },
  ],
  examples: [
    {
      command: `echo '{"directive": {"kind": "block", "reason": "Run the tests."}}' | heddle lifecycle render --adapter codex --event frame.ending`,
      description: "Continue a turn of Codex",
    },
  ],
  run: runRender,
};

export const readInputCommand: LifecycleCommand = {
  name: "read",
  summary: "Print the neutral event of a hook input",
  details: "Reads the input from stdin.",
  options: [adapter, hook],
  examples: [
    {
      command: "heddle lifecycle read --adapter claude < input.json",
      description: "An input of a Claude Code hook",
    },
  ],
  run: runRead,
};

export const negotiateCommand: LifecycleCommand = {
  name: "negotiate",
  summary: "Print whether a harness has the needed capabilities, with reasons",
  details:
    'Reads {"event": "...", "capabilities": [...], "payloads": [...]} from stdin. Ends with code 3 where it has not.',
  options: [adapter],
  examples: [
    {
      command: `echo '{"event": "frame.opening", "capabilities": [{"kind": "lifecycle_event", "event": "session.ended", "level": "required", "desired": "native"}]}' | heddle lifecycle negotiate --adapter codex`,
      description: "Whether Codex reports the end of a session",
    },
  ],
  run: runNegotiate,
};

async function runRender(args: ParsedArguments): Promise<number> {
  const name = requiredOption(args, "adapter");
  const event = requiredOption(args, "event") as EventName;
  const form = (args.value("form") ?? "compatible") as ContextForm;
  const input = await readObject(process.stdin, ["payloads", "directive", "result"]);
  const hookEventName = args.value("hook");
  const request = {
    adapter: name,
    event,
    form,
    result: toResult(input, event),
    ...(hookEventName !== undefined && { hookEventName }),
  };
  // Reports an unsupported event or directive before the payloads are validated.
  rendering(request);
  const envelopes = listOf(input, "payloads").map(toRenderable);
  const nowEpochS = Math.floor(Date.now() / 1000);
  const rendered = rendering({
    ...request,
    payloads: envelopes.map((envelope) => ({ envelope })),
    ...(form === "readable" && {
      nowEpochS,
      faults: await findPayloadFaults(envelopes as readonly PayloadEnvelope[], { nowEpochS }),
    }),
  });
  if (rendered.notExpressed.length > 0) writeReport("not_expressed", rendered.notExpressed);
  if (rendered.overBudget !== null) writeReport("over_budget", rendered.overBudget);
  process.stdout.write(rendered.stdout);
  return rendered.exitCode;
}

function rendering(request: RenderRequest): Rendering {
  const rendered = render(request);
  if (rendered.ok) return rendered;
  const { kind, detail } = rendered.error;
  throw new LifecycleFault(kind.startsWith("unsupported_") ? UNSUPPORTED : INVALID, kind, detail);
}

async function runRead(args: ParsedArguments): Promise<number> {
  const hookEventName = args.value("hook");
  const name = requiredOption(args, "adapter");
  const input = await readJson(process.stdin);
  const outcome = read(name, input, hookEventName === undefined ? {} : { hookEventName });
  if (!outcome.ok) {
    const { kind, detail } = outcome.error;
    const isUnsupported = kind === "unknown_event" || kind === "no_event";
    throw new LifecycleFault(isUnsupported ? UNSUPPORTED : INVALID, kind, detail);
  }
  return printJson(outcome.event);
}

async function runNegotiate(args: ParsedArguments): Promise<number> {
  const name = requiredOption(args, "adapter");
  const manifest = findManifest(name);
  if (manifest === undefined)
    throw new LifecycleFault(INVALID, "unknown_adapter", `there is no adapter '${name}'`);
  const input = await readObject(process.stdin, ["event", "capabilities", "payloads"]);
  const { event } = input;
  if (!isEventName(event)) throw invalid(`event: expected one of ${EVENT_NAMES.join(", ")}`);
  const payloads = listOf(input, "payloads").map((value, index) => {
    const parsed = parsePayloadEnvelope(value);
    if (!parsed.ok) throw invalid(`payloads[${index}]: ${wireErrorText(parsed.error)}`);
    return parsed.value;
  });
  const capabilities = listOf(input, "capabilities").map(toNeed);
  const faults = await findPayloadFaults(payloads, { nowEpochS: Math.floor(Date.now() / 1000) });
  const negotiation = negotiate({ event, capabilities, payloads, faults }, manifest);
  printJson(negotiation);
  return negotiation.blocks_dispatch ? UNSUPPORTED : 0;
}

export function requiredOption(args: ParsedArguments, option: string): string {
  const value = args.value(option);
  if (value === undefined) throw new UsageError(`the argument '--${option}' is needed`);
  return value;
}

export function printJson(value: unknown): number {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  return 0;
}

const MAX_INPUT_BYTES = 16 * 1024 * 1024;

export async function readJson(stream: Readable): Promise<unknown> {
  const bytes = await readStdin(stream, MAX_INPUT_BYTES).catch((error: unknown) => {
    throw invalid(messageOf(error));
  });
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid(bytes.length === 0 ? "stdin is empty; expected JSON" : "stdin is not JSON");
  }
}

async function readObject(stream: Readable, members: readonly string[]): Promise<JsonObject> {
  const value = await readJson(stream);
  if (!isObject(value)) throw invalid("stdin: expected an object");
  const unknown = Object.keys(value).find((name) => !members.includes(name));
  if (unknown !== undefined)
    throw invalid(
      `stdin: unknown member ${JSON.stringify(unknown.slice(0, 80))}; expected ${members.join(", ")}`,
    );
  return value;
}

function listOf(input: JsonObject, name: string): readonly unknown[] {
  const value = input[name] ?? [];
  if (!Array.isArray(value)) throw invalid(`${name}: expected a list`);
  return value;
}

function toResult(input: JsonObject, event: EventName): LifecycleResult {
  const directive = parseDirective(input["directive"]);
  if (directive === undefined)
    throw new LifecycleFault(
      INVALID,
      "invalid_directive",
      'expected null, {"kind": "allow"} or {"kind": "block", "reason": "..."}',
    );
  if (input["result"] === undefined) return resultOfDirective(directive, event);
  if (directive !== null) throw invalid("expected a directive or a result, not both");
  const parsed = parseResult(input["result"]);
  if (!parsed.ok) throw new LifecycleFault(INVALID, "invalid_directive", wireErrorText(parsed.error));
  return parsed.value;
}

function toRenderable(value: unknown, index: number): RenderablePayload {
  const parsed = parseRenderablePayload(value);
  if (!parsed.ok) throw invalid(`payloads[${index}]: ${wireErrorText(parsed.error)}`);
  return parsed.value;
}

function toNeed(value: unknown, index: number): CapabilityNeed {
  const fault = (what: string) => invalid(`capabilities[${index}]: ${what}`);
  if (!isObject(value)) throw fault("expected an object");
  const among = (name: string, known: readonly string[]) => {
    if (!known.some((each) => each === value[name]))
      throw fault(`${name}: expected one of ${known.join(", ")}`);
  };
  among("kind", CAPABILITY_KINDS);
  among("level", REQUIREMENTS);
  among("desired", SUPPORT_STATES);
  return value as unknown as CapabilityNeed;
}

function invalid(detail: string): LifecycleFault {
  return new LifecycleFault(INVALID, "invalid_input", detail);
}
