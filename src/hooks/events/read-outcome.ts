/** What a run means: its status, what the user is told, and what it asks for. */
import type { HookOutputEntry } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookDialect } from "../configured-hook.ts";
import type { HookEventName } from "../hook-event.ts";
import { type HandlerResult, type HookOutcome, NO_EFFECT } from "../outcome.ts";
import { type CheckOptions, checkShape } from "../schema/check-shape.ts";
import type { HookEvent, Reading } from "./event.ts";
import { type Draft, failClosed } from "./fail-closed.ts";
import { hookEventOf } from "./index.ts";
import { blocked, completed, type Meaning, refused, trimmed } from "./meaning.ts";
import type { Visibility } from "./output-members.ts";

export type HookTraits = Pick<ConfiguredHook, "dialect" | "onFailure" | "isAsync" | "endsTurn">;

type Exited = Extract<HandlerResult, { kind: "exited" }>;

/** How a dialect takes output, whatever the event. */
interface Manner {
  /** What output begins with that is meant to be JSON. */
  readonly openings: string;
  /** What becomes of output that is meant to be JSON and is not. */
  readonly broken: "invalid" | "text";
  readonly unknownMembers: CheckOptions["unknownMembers"];
  /** Whether an answer counts when the program failed. */
  readonly readsEveryExit: boolean;
}

const MANNERS: Readonly<Record<HookDialect, Manner>> = {
  codex: { openings: "{[", broken: "invalid", unknownMembers: "refused", readsEveryExit: false },
  claude: { openings: "{", broken: "text", unknownMembers: "ignored", readsEveryExit: true },
};

export function readOutcome(name: HookEventName, result: HandlerResult, hook: HookTraits): HookOutcome {
  const event = hookEventOf(name);
  const outcome = failClosed(event, draft(event, result, hook), hook);
  return hook.endsTurn === true && event.isGuard ? withStop(outcome) : outcome;
}

/** Only what was said ends a turn: a run that failed has said nothing. */
function withStop(outcome: HookOutcome): HookOutcome {
  const { status, effect } = outcome;
  if (status !== "blocked" || effect.block === null) return outcome;
  return { ...outcome, effect: { ...effect, stop: effect.stop ?? { reason: effect.block } } };
}

function draft(event: HookEvent, result: HandlerResult, hook: HookTraits): Draft {
  switch (result.kind) {
    case "failed":
      return lost(result.message);
    case "timedOut":
      return lost(`hook timed out after ${result.seconds}s`);
    case "interrupted":
      return failed("hook was interrupted");
    case "exited":
      return readExit(event, result, hook);
  }
}

function readExit(event: HookEvent, result: Exited, hook: HookTraits): Draft {
  const reading = event.reading[hook.dialect];
  const isWell = result.exitCode === 0;
  const answer =
    isWell || MANNERS[hook.dialect].readsEveryExit ? readAnswer(reading, result, hook) : NO_ANSWER;
  const exitTwo = result.exitCode === 2 && !hook.isAsync ? reading.exitTwo : null;
  if (answer.kind === "answer") {
    const meaning = hook.isAsync ? completed() : event.interpret(answer.answer, hook.dialect);
    const isNo = meaning.status === "blocked" || meaning.status === "stopped";
    const final = exitTwo === null || isNo ? meaning : blocked(trimmed(result.stderr) ?? exitTwo.complaint);
    return assemble(final, answer.answer as Told, answer.said);
  }
  if (exitTwo !== null) return readExitTwo(exitTwo, result.stderr);
  return readWithoutAnswer(event, answer, result, reading);
}

function readWithoutAnswer(
  event: HookEvent,
  answer: Exclude<Answer, { kind: "answer" }>,
  result: Exited,
  reading: Reading,
): Draft {
  if (answer.kind === "invalid") return { ...failed(answer.error), said: answer.said, isLost: result.isCut };
  if (result.isCut && event.whenLost !== undefined) return lost(CUT);
  if (result.exitCode !== 0) return readFailure(reading, result);
  return answer.kind === "text" ? asContext(answer.text, result.isCut) : assemble(completed());
}

/** A code that says no: with a reason, or with what stands for one. */
function readExitTwo({ complaint, isEnough }: NonNullable<Reading["exitTwo"]>, stderr: string): Draft {
  const reason = trimmed(stderr) ?? (isEnough ? complaint : null);
  if (reason !== null) return assemble(blocked(reason));
  return { ...failed(complaint), no: { where: "its exit code", reason: null } };
}

function readFailure({ exitError, killed }: Reading, { exitCode, stderr }: Exited): Draft {
  const words = trimmed(stderr);
  if (exitError === "stderr alone") return words === null ? { ...failed(""), entries: [] } : failed(words);
  if (exitCode === null) return lost(killed);
  const isTold = exitError === "stderr" && words !== null;
  const message = isTold ? words : `hook exited with code ${exitCode}`;
  return exitCode >= NOT_STARTED ? lost(message) : failed(message);
}

/** From this on a shell says that it could not run the program, did not find it, or saw it killed by a signal. */
const NOT_STARTED = 126;
const CUT = "the hook's output was cut: it was longer than may be";

type Answer =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "answer"; readonly answer: unknown; readonly said: unknown }
  | { readonly kind: "invalid"; readonly error: string; readonly said: unknown };

const NO_ANSWER: Answer = { kind: "none" };

function readAnswer(reading: Reading, { stdout, isCut }: Exited, hook: HookTraits): Answer {
  const { dialect, isAsync } = hook;
  const { openings, unknownMembers } = MANNERS[dialect];
  const words = stdout.trim();
  if (words === "" || reading.output === null) return NO_ANSWER;
  const parsed = openings.includes(words.charAt(0)) ? parseJson(words) : null;
  if (parsed === null || (!parsed.isJson && isText(reading, hook))) {
    if (reading.plainText === "context") return { kind: "text", text: words };
    if (reading.plainText === "ignored" || isAsync) return NO_ANSWER;
    return invalid(reading.plainText.error, ["expected a JSON object; got text"], undefined);
  }
  if (!parsed.isJson) {
    const fault = isCut ? "it is not complete: it was longer than may be, and was cut" : "it is not JSON";
    return invalid(reading.invalid, [fault], undefined);
  }
  const checked = checkShape(reading.output, parsed.value, { unknownMembers });
  return checked.isValid
    ? { kind: "answer", answer: checked.value, said: parsed.value }
    : invalid(reading.invalid, checked.faults, parsed.value);
}

/** Whether output that is meant to be JSON and is not is taken as words; those of a strict guard may be half of a no. */
function isText({ plainText }: Reading, { dialect, onFailure }: HookTraits): boolean {
  return MANNERS[dialect].broken === "text" && (onFailure === "open" || plainText === "context");
}

function invalid(error: string, faults: readonly string[], said: unknown): Answer {
  return { kind: "invalid", error: [error, ...faults].join("\n"), said };
}

function parseJson(
  words: string,
): { readonly isJson: true; readonly value: unknown } | { readonly isJson: false } {
  try {
    return { isJson: true, value: JSON.parse(words) };
  } catch {
    return { isJson: false };
  }
}

/** What answers of all events may tell somebody; which of it there is, their shapes have decided. */
interface Told {
  readonly systemMessage?: string | null;
  readonly systemMessageVisibility?: Visibility | null;
  readonly hookSpecificOutput?: {
    readonly additionalContext?: string | null;
    readonly additionalContextVisibility?: Visibility | null;
  } | null;
}

function assemble(meaning: Meaning, told: Told = {}, said?: unknown): Draft {
  const { additionalContext, additionalContextVisibility } = told.hookSpecificOutput ?? {};
  const messages: readonly { kind: "warning" | "context"; text: string; for: Visibility }[] = [
    ...toldAs("warning", told.systemMessage, told.systemMessageVisibility ?? "user"),
    ...(meaning.status === "failed"
      ? []
      : toldAs("context", additionalContext, additionalContextVisibility ?? "both")),
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
    said,
    no: null,
    isLost: false,
  };
}

function toldAs<K extends string>(kind: K, text: string | null | undefined, visibility: Visibility) {
  return text === null || text === undefined ? [] : [{ kind, text, for: visibility }];
}

function asContext(text: string, isCut: boolean): Draft {
  const told: Told = { hookSpecificOutput: { additionalContext: text } };
  if (!isCut) return assemble(completed(), told);
  return assemble(completed(), {
    ...told,
    systemMessage: CUT,
  });
}

function failed(error: string): Draft {
  return assemble(refused(error));
}

/** The hook was not asked, or its answer did not arrive as it was written. */
function lost(error: string): Draft {
  return { ...failed(error), isLost: true };
}
