/**
 * What can be done to the turns of a loaded thread. Whoever calls holds the lane of the thread, as handlers do, and
 * begins what was accepted once it has responded.
 */
import { contextFault } from "../../engine/context/context-log.ts";
import { type Engine } from "../../engine/engine.ts";
import type { SettingsChange } from "../../engine/state/settings.ts";
import { TURN_TRAITS } from "../../engine/state/turn-state.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { Message } from "../../engine/turn/submission.ts";
import type { AcceptOptions } from "../../engine/turn/turn.ts";
import type { ShellCommand } from "../../engine/turn/turn-work.ts";
import type {
  ResponseItem,
  ReviewTarget,
  ThreadSettingsUpdateParams,
  Turn,
  TurnStartParams,
  TurnSteerParams,
  UserInput,
} from "../../protocol/generated/types.ts";
import { orRefusal, type Refusal, Refused, refuse } from "../configuration/refusal.ts";
import { parseThreadId } from "./thread-id.ts";

export type TurnParams = Omit<TurnStartParams, "threadId">;
export type SteerParams = Omit<TurnSteerParams, "threadId">;
export type SettingsParams = Omit<ThreadSettingsUpdateParams, "threadId">;

export interface StartOptions extends AcceptOptions {
  /** What happens while a turn runs: the input joins it, or is refused. */
  readonly whenBusy?: "steer" | "refuse";
}

/** Something that was accepted and is kept. */
export interface Accepted {
  readonly kind: "accepted";
  /** Called once whoever asked for it has a response. */
  readonly begin: () => void;
}

export interface AcceptedTurn extends Accepted {
  readonly turn: Turn;
}

export interface TurnOperations {
  /** Starts a turn with a message of the user. */
  startTurn(threadId: string, params: TurnParams, options?: StartOptions): Promise<AcceptedTurn | Refusal>;
  /** Adds a message to the turn that runs. */
  steer(threadId: string, params: SteerParams): Promise<AcceptedTurn | Refusal>;
  /** Ends the turn that runs; an empty id means whichever it is. */
  interrupt(threadId: string, turnId: string): Promise<Accepted | Refusal>;
  compact(threadId: string): Promise<AcceptedTurn | Refusal>;
  review(threadId: string, target: ReviewTarget): Promise<AcceptedTurn | Refusal>;
  runCommand(threadId: string, command: ShellCommand): Promise<Accepted | Refusal>;
  /** Adds to what the model knows, without a turn. */
  inject(threadId: string, items: readonly ResponseItem[]): Promise<Accepted | Refusal>;
  changeSettings(threadId: string, overrides: SettingsParams): Promise<Accepted | Refusal>;
}

export interface TurnOperationsOptions {
  readonly engine: Pick<Engine, "find">;
  /** What changes in the settings of a thread when its client overrides some of them. */
  readonly resolveChange: (thread: Thread, overrides: SettingsParams) => Promise<SettingsChange>;
}

export function createTurnOperations({ engine, resolveChange }: TurnOperationsOptions): TurnOperations {
  const find = (threadId: string) => findThread(engine, threadId);

  return {
    startTurn: (threadId, params, options = {}) =>
      orRefusal(async () => {
        const thread = find(threadId);
        checkMessage(params);
        return startTurn(thread, params, await resolveChange(thread, params), options);
      }),

    steer: (threadId, params) =>
      orRefusal(async () => {
        const thread = find(threadId);
        if (params.input.length === 0) throw refuse("input must not be empty");
        checkInput(params.input);
        if (params.expectedTurnId === "") throw refuse("expectedTurnId must not be empty");
        const { activeTurnId: active } = thread;
        const turn = thread.activeTurn();
        if (active === null || turn === null) throw new Refused("noActiveTurn", "no active turn to steer");
        checkSteerable(thread);
        if (active !== params.expectedTurnId) {
          const expected = `expected active turn id \`${params.expectedTurnId}\``;
          throw new Refused("otherTurn", `${expected} but found \`${active}\``);
        }
        return { kind: "accepted", turn, begin: await thread.steer(toMessage(params)) };
      }),

    interrupt: (threadId, turnId) =>
      orRefusal(async () => {
        const thread = find(threadId);
        const active = thread.activeTurnId;
        if (active === null) throw new Refused("noActiveTurn", "no active turn to interrupt");
        if (turnId !== "" && active !== turnId) {
          throw new Refused("otherTurn", `expected active turn id ${turnId} but found ${active}`);
        }
        return { kind: "accepted", begin: await thread.interrupt() };
      }),

    compact: (threadId) =>
      orRefusal(async () => ({
        kind: "accepted",
        ...(await find(threadId).accept({ kind: "compact" })),
      })),

    review: (threadId, target) =>
      orRefusal(async () => ({
        kind: "accepted",
        ...(await find(threadId).accept({ kind: "review", target })),
      })),

    runCommand: (threadId, command) =>
      orRefusal(async () => ({
        kind: "accepted",
        begin: await find(threadId).acceptShellCommand(command),
      })),

    inject: (threadId, items) =>
      orRefusal(async () => {
        await find(threadId).inject(items);
        return { kind: "accepted", begin() {} };
      }),

    changeSettings: (threadId, overrides) =>
      orRefusal(async () => {
        const thread = find(threadId);
        return {
          kind: "accepted",
          begin: await thread.changeSettings(await resolveChange(thread, overrides)),
        };
      }),
  };
}

/** Refuses what a message may not be, before anything of it is kept. */
function checkMessage({ input, additionalContext }: TurnParams): void {
  checkInput(input);
  const fault = contextFault(additionalContext ?? {});
  if (fault !== null) throw refuse(fault);
}

async function startTurn(
  thread: Thread,
  params: TurnParams,
  change: SettingsChange,
  start: StartOptions,
): Promise<AcceptedTurn> {
  const running = thread.activeTurn();
  if (running !== null) checkBusy(thread, start);
  (await thread.changeSettings(change))();
  const message = toMessage(params);
  if (running !== null) {
    return {
      kind: "accepted",
      turn: { ...running, startedAt: null },
      begin: await thread.steer(message),
    };
  }
  const options = {
    outputSchema: params.outputSchema ?? null,
    serviceTier: params.serviceTierForTurn ?? null,
    additionalContext: params.additionalContext ?? {},
  };
  const accepted = await thread.accept({ kind: "user", message, options }, start);
  return { kind: "accepted", ...accepted };
}

/** The loaded thread of this id; refuses when there is none. */
export function findThread(engine: Pick<Engine, "find">, text: string): Thread {
  const id = parseThreadId(text);
  const thread = engine.find(id);
  if (thread === undefined) throw new Refused("threadNotFound", `thread not found: ${id}`);
  return thread;
}

function checkBusy(thread: Thread, { whenBusy = "steer" }: StartOptions): void {
  if (whenBusy === "refuse") throw new Refused("busy", `thread ${thread.id} has a turn that runs`);
  checkSteerable(thread);
}

/** A turn that does one fixed thing has no use for further input. */
function checkSteerable({ activeKind: turnKind }: Thread): void {
  if (turnKind === null || TURN_TRAITS[turnKind].isSteerable) return;
  const message = `cannot steer a ${turnKind} turn`;
  throw new Refused("turnNotSteerable", message, {
    message,
    codexErrorInfo: { activeTurnNotSteerable: { turnKind } },
    additionalDetails: null,
    misalignment: null,
  });
}

function toMessage(
  params: Pick<TurnParams, "input" | "clientUserMessageId" | "responsesapiClientMetadata">,
): Message {
  const { input, clientUserMessageId, responsesapiClientMetadata } = params;
  return {
    input,
    clientUserMessageId: clientUserMessageId ?? null,
    clientMetadata: responsesapiClientMetadata ?? null,
  };
}

const MAX_INPUT_CHARS = 1_048_576;

/** Refuses what a user's message may not be, before anything of it is kept. */
export function checkInput(input: readonly UserInput[]): void {
  const remote = input.some((part) => part.type === "image" && "url" in part && /^https?:/i.test(part.url));
  if (remote) throw refuse("remote image URLs are not supported; use an inline data URL instead");
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // Characters as people count them are never more than UTF-16 units, so most inputs need no exact count.
  if (texts.reduce((sum, text) => sum + text.length, 0) <= MAX_INPUT_CHARS) return;
  const chars = texts.reduce((sum, text) => sum + countChars(text), 0);
  if (chars <= MAX_INPUT_CHARS) return;
  throw new Refused("invalidParams", `Input exceeds the maximum length of ${MAX_INPUT_CHARS} characters.`, {
    input_error_code: "input_too_large",
    max_chars: MAX_INPUT_CHARS,
    actual_chars: chars,
  });
}

/** Code points, which is what the peer counts. */
function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
