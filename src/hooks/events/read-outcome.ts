/** Interprets a handler result: run status, entries for the user, and the requested effect. */
import type { HookOutputEntry } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookDialect } from "../configured-hook.ts";
import type { HookEventName } from "../hook-event.ts";
import { type HandlerResult, type HookOutcome, NO_EFFECT } from "../outcome.ts";
import { checkShape, type ShapeCheckOptions } from "../schema/check-shape.ts";
import type { HookEvent, OutputReading } from "./event.ts";
import { failClosed, type OutcomeDraft } from "./fail-closed.ts";
import { hookEventOf } from "./index.ts";
import { blocked, completed, type Meaning, rejected, trimmed } from "./meaning.ts";
import type { Visibility } from "./output-members.ts";

export type HookTraits = Pick<ConfiguredHook, "dialect" | "onFailure" | "isAsync" | "endsTurn">;

type Exited = Extract<HandlerResult, { kind: "exited" }>;

/** How a dialect parses output, for all events. */
interface OutputRules {
  /** First characters of output that is parsed as JSON. */
  readonly openings: string;
  /** How output that looks like JSON and does not parse is handled. */
  readonly broken: "invalid" | "text";
  readonly unknownMembers: ShapeCheckOptions["unknownMembers"];
  /** Whether an answer is read after a non-zero exit. */
  readonly readsEveryExit: boolean;
}

const OUTPUT_RULES: Readonly<Record<HookDialect, OutputRules>> = {
  codex: { openings: "{[", broken: "invalid", unknownMembers: "refused", readsEveryExit: false },
  claude: { openings: "{", broken: "text", unknownMembers: "ignored", readsEveryExit: true },
};

export function readOutcome(name: HookEventName, result: HandlerResult, hook: HookTraits): HookOutcome {
  const event = hookEventOf(name);
  const outcome = failClosed(event, draft(event, result, hook), hook);
  return hook.endsTurn === true && event.isGuard ? withStop(outcome) : outcome;
}

/** Only an explicit denial ends a turn: a failed run has not denied anything. */
function withStop(outcome: HookOutcome): HookOutcome {
  const { status, effect } = outcome;
  if (status !== "blocked" || effect.block === null) return outcome;
  return { ...outcome, effect: { ...effect, stop: effect.stop ?? { reason: effect.block } } };
}

function draft(event: HookEvent, result: HandlerResult, hook: HookTraits): OutcomeDraft {
  switch (result.kind) {
    case "failed":
      return inconclusive(result.message);
    case "timedOut":
      return inconclusive(`hook timed out after ${result.seconds}s`);
    case "interrupted":
      return failed("hook was interrupted");
    case "exited":
      return readExit(event, result, hook);
  }
}

function readExit(event: HookEvent, result: Exited, hook: HookTraits): OutcomeDraft {
  const reading = event.reading[hook.dialect];
  const isSuccess = result.exitCode === 0;
  const answer =
    isSuccess || OUTPUT_RULES[hook.dialect].readsEveryExit ? readAnswer(reading, result, hook) : NO_ANSWER;
  const exitTwo = result.exitCode === 2 && !hook.isAsync ? reading.exitTwo : null;
  if (answer.kind === "answer") {
    const meaning = hook.isAsync ? completed() : event.interpret(answer.answer, hook.dialect);
    const isDenial = meaning.status === "blocked" || meaning.status === "stopped";
    const final =
      exitTwo === null || isDenial ? meaning : blocked(trimmed(result.stderr) ?? exitTwo.complaint);
    return assemble(final, answer.answer as OutputMessages, answer.rawJson);
  }
  if (exitTwo !== null) return readExitTwo(exitTwo, result.stderr);
  return readWithoutAnswer(event, answer, result, reading);
}

function readWithoutAnswer(
  event: HookEvent,
  answer: Exclude<Answer, { kind: "answer" }>,
  result: Exited,
  reading: OutputReading,
): OutcomeDraft {
  if (answer.kind === "invalid")
    return { ...failed(answer.error), rawJson: answer.rawJson, isInconclusive: result.isCut };
  if (result.isCut && event.whenInconclusive !== undefined) return inconclusive(TRUNCATED);
  if (result.exitCode !== 0) return readFailure(reading, result);
  return answer.kind === "text" ? asContext(answer.text, result.isCut) : assemble(completed());
}

/** An exit code that denies, with the reason from stderr or the default message. */
function readExitTwo(
  { complaint, isReasonOptional }: NonNullable<OutputReading["exitTwo"]>,
  stderr: string,
): OutcomeDraft {
  const reason = trimmed(stderr) ?? (isReasonOptional ? complaint : null);
  if (reason !== null) return assemble(blocked(reason));
  return { ...failed(complaint), denial: { where: "its exit code", reason: null } };
}

function readFailure({ exitError, killed }: OutputReading, { exitCode, stderr }: Exited): OutcomeDraft {
  const stderrText = trimmed(stderr);
  if (exitError === "stderr alone")
    return stderrText === null ? { ...failed(""), entries: [] } : failed(stderrText);
  if (exitCode === null) return inconclusive(killed);
  const usesStderr = exitError === "stderr" && stderrText !== null;
  const message = usesStderr ? stderrText : `hook exited with code ${exitCode}`;
  return exitCode >= NOT_STARTED ? inconclusive(message) : failed(message);
}

/**
 * From this code on a shell reports that the program could not be started, was not found, or was killed by a
 * signal.
 */
const NOT_STARTED = 126;
const TRUNCATED = "the hook's output was cut: it was longer than may be";

type Answer =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "answer"; readonly answer: unknown; readonly rawJson: unknown }
  | { readonly kind: "invalid"; readonly error: string; readonly rawJson: unknown };

const NO_ANSWER: Answer = { kind: "none" };

function readAnswer(reading: OutputReading, { stdout, isCut }: Exited, hook: HookTraits): Answer {
  const { dialect, isAsync } = hook;
  const { openings, unknownMembers } = OUTPUT_RULES[dialect];
  const stdoutText = stdout.trim();
  if (stdoutText === "" || reading.output === null) return NO_ANSWER;
  const parsed = openings.includes(stdoutText.charAt(0)) ? parseJson(stdoutText) : null;
  if (parsed === null || (!parsed.isJson && isText(reading, hook))) {
    if (reading.plainText === "context") return { kind: "text", text: stdoutText };
    if (reading.plainText === "ignored" || isAsync) return NO_ANSWER;
    return invalid(reading.plainText.error, ["expected a JSON object; got text"], undefined);
  }
  if (!parsed.isJson) {
    const fault = isCut ? "it is not complete: it was longer than may be, and was cut" : "it is not JSON";
    return invalid(reading.invalid, [fault], undefined);
  }
  const checked = checkShape(reading.output, parsed.value, { unknownMembers });
  return checked.isValid
    ? { kind: "answer", answer: checked.value, rawJson: parsed.value }
    : invalid(reading.invalid, checked.faults, parsed.value);
}

/**
 * Whether output that looks like JSON and does not parse is treated as text; the output of a fail-closed
 * guard may be a truncated denial.
 */
function isText({ plainText }: OutputReading, { dialect, onFailure }: HookTraits): boolean {
  return OUTPUT_RULES[dialect].broken === "text" && (onFailure === "open" || plainText === "context");
}

function invalid(error: string, faults: readonly string[], rawJson: unknown): Answer {
  return { kind: "invalid", error: [error, ...faults].join("\n"), rawJson };
}

function parseJson(
  text: string,
): { readonly isJson: true; readonly value: unknown } | { readonly isJson: false } {
  try {
    return { isJson: true, value: JSON.parse(text) };
  } catch {
    return { isJson: false };
  }
}

/** The messages that answers of any event may contain; the event's shape has already limited them. */
interface OutputMessages {
  readonly systemMessage?: string | null;
  readonly systemMessageVisibility?: Visibility | null;
  readonly hookSpecificOutput?: {
    readonly additionalContext?: string | null;
    readonly additionalContextVisibility?: Visibility | null;
  } | null;
}

function assemble(meaning: Meaning, output: OutputMessages = {}, rawJson?: unknown): OutcomeDraft {
  const { additionalContext, additionalContextVisibility } = output.hookSpecificOutput ?? {};
  const messages: readonly { kind: "warning" | "context"; text: string; for: Visibility }[] = [
    ...toMessages("warning", output.systemMessage, output.systemMessageVisibility ?? "user"),
    ...(meaning.status === "failed"
      ? []
      : toMessages("context", additionalContext, additionalContextVisibility ?? "both")),
  ];
  const shown = messages.filter((message) => message.for !== "model");
  return {
    status: meaning.status,
    entries: [
      ...shown.map(({ kind, text }): HookOutputEntry => ({ kind, text })),
      ...(meaning.entry === null ? [] : [meaning.entry]),
    ],
    effect: {
      ...NO_EFFECT,
      ...meaning.effect,
      contexts: messages.filter((message) => message.for !== "user").map(({ text }) => text),
    },
    rawJson,
    denial: null,
    isInconclusive: false,
  };
}

function toMessages<K extends string>(kind: K, text: string | null | undefined, visibility: Visibility) {
  return text === null || text === undefined ? [] : [{ kind, text, for: visibility }];
}

function asContext(text: string, isCut: boolean): OutcomeDraft {
  const output: OutputMessages = { hookSpecificOutput: { additionalContext: text } };
  if (!isCut) return assemble(completed(), output);
  return assemble(completed(), {
    ...output,
    systemMessage: TRUNCATED,
  });
}

function failed(error: string): OutcomeDraft {
  return assemble(rejected(error));
}

/** The hook could not be run, or its answer was truncated. */
function inconclusive(error: string): OutcomeDraft {
  return { ...failed(error), isInconclusive: true };
}
