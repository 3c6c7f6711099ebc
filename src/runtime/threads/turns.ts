/** Operations on the turns of a loaded thread, in its lane. */

import { isRefusal, refusal } from "../../base/refusal.ts";
import { contextFault } from "../../engine/context/context-log.ts";
import { type Accepted, accepted } from "../../engine/state/accepted.ts";
import { changeSettings, type SettingsChange } from "../../engine/state/settings.ts";
import { FROM_USER, type TurnOrigin } from "../../engine/state/turn-origin.ts";
import { TURN_TRAITS } from "../../engine/state/turn-state.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { UserMessage } from "../../engine/turn/submission.ts";
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
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { findExcess } from "../setup/ceiling.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { overridesNothing, resolveChange } from "../setup/settings-change.ts";
import { findThread } from "./find-thread.ts";
import type { LaneHeld } from "./lane.ts";
import { type Signed, senderOf } from "./sender.ts";

export type TurnParams = Omit<TurnStartParams, "threadId"> & Signed;
export type SteerParams = Omit<TurnSteerParams, "threadId"> & Signed;
export type SettingsParams = Omit<ThreadSettingsUpdateParams, "threadId">;

export interface StartOptions extends AcceptOptions {
  /** Whether input joins a running turn or is refused. */
  readonly whenBusy?: "steer" | "refuse";
}

export interface Turns {
  /** Starts a turn with a user message. */
  startTurn(
    held: LaneHeld,
    params: TurnParams,
    options?: StartOptions,
  ): Promise<Accepted<Turn> | ThreadRefusal>;
  /** Adds a message to the running turn. */
  steer(held: LaneHeld, params: SteerParams): Promise<Accepted<Turn> | ThreadRefusal>;
  /** Interrupts the running turn; an empty id matches any turn. */
  interrupt(held: LaneHeld, turnId: string): Promise<Accepted<null> | ThreadRefusal>;
  compact(held: LaneHeld): Promise<Accepted<Turn> | ThreadRefusal>;
  review(held: LaneHeld, target: ReviewTarget): Promise<Accepted<Turn> | ThreadRefusal>;
  shell(held: LaneHeld, command: ShellCommand): Promise<Accepted<null> | ThreadRefusal>;
  /** Appends items to the model's history without a turn. */
  inject(held: LaneHeld, items: readonly ResponseItem[]): Promise<Accepted<null> | ThreadRefusal>;
  changeSettings(held: LaneHeld, overrides: SettingsParams): Promise<Accepted<null> | ThreadRefusal>;
}

export function createTurns(deps: Pick<RuntimeDeps, "engine" | "config" | "host">): Turns {
  const find = (held: LaneHeld) => findThread(deps.engine, held.check());

  /** Resolves overrides to a change, null if there is none; a spawned thread stays within the rights of its parent. */
  function resolveOverrides(thread: Thread, overrides: SettingsParams) {
    return overridesNothing(overrides) ? null : resolveWithin(thread, overrides);
  }

  async function resolveWithin(thread: Thread, overrides: SettingsParams) {
    const change = await resolveChange(overrides, thread.settings, deps);
    if (isRefusal(change) || thread.agent === null) return change;
    const excess = findExcess(changeSettings(thread.settings, change), thread.agent.ceiling);
    return excess === null ? change : refuseInvalid(`invalid thread settings override: ${excess}`);
  }

  return {
    async startTurn(held, params, start = {}) {
      const thread = find(held);
      if (isRefusal(thread)) return thread;
      const refused = refuseMessage(params);
      if (refused !== null) return refused;
      const resolving = resolveOverrides(thread, params);
      const change = resolving === null ? null : await resolving;
      if (change !== null && isRefusal(change)) return change;
      return startTurn(thread, params, change, start);
    },

    async steer(held, params) {
      const thread = find(held);
      if (isRefusal(thread)) return thread;
      if (params.input.length === 0) return refuseInvalid("input must not be empty");
      const refused = refuseInput(params.input);
      if (refused !== null) return refused;
      if (params.expectedTurnId === "") return refuseInvalid("expectedTurnId must not be empty");
      const { activeTurnId: active } = thread;
      const turn = thread.activeTurn();
      if (active === null || turn === null) return refusal("noActiveTurn", "no active turn to steer");
      const unsteerable = refuseUnsteerable(thread);
      if (unsteerable !== null) return unsteerable;
      if (active !== params.expectedTurnId) {
        const expected = `expected active turn id \`${params.expectedTurnId}\``;
        return refusal("otherTurn", `${expected} but found \`${active}\``);
      }
      return accepted(turn, (await thread.steer(toMessage(params))).begin);
    },

    async interrupt(held, turnId) {
      const thread = find(held);
      if (isRefusal(thread)) return thread;
      const active = thread.activeTurnId;
      if (active === null) return refusal("noActiveTurn", "no active turn to interrupt");
      if (turnId !== "" && active !== turnId) {
        return refusal("otherTurn", `expected active turn id ${turnId} but found ${active}`);
      }
      return thread.interrupt();
    },

    async compact(held) {
      const thread = find(held);
      return isRefusal(thread) ? thread : thread.accept({ kind: "compact" });
    },

    async review(held, target) {
      const thread = find(held);
      return isRefusal(thread) ? thread : thread.accept({ kind: "review", target });
    },

    async shell(held, command) {
      const thread = find(held);
      return isRefusal(thread) ? thread : thread.acceptShellCommand(command);
    },

    async inject(held, items) {
      const thread = find(held);
      if (isRefusal(thread)) return thread;
      await thread.inject(items);
      return accepted(null);
    },

    async changeSettings(held, overrides) {
      const thread = find(held);
      if (isRefusal(thread)) return thread;
      const change = await resolveOverrides(thread, overrides);
      if (change === null) return accepted(null);
      return isRefusal(change) ? change : thread.changeSettings(change);
    },
  };
}

/** Refuses invalid messages before anything is stored. */
function refuseMessage({ input, additionalContext }: TurnParams): ThreadRefusal | null {
  const refused = refuseInput(input);
  if (refused !== null) return refused;
  const fault = contextFault(additionalContext ?? {});
  return fault === null ? null : refuseInvalid(fault);
}

async function startTurn(
  thread: Thread,
  params: TurnParams,
  change: SettingsChange | null,
  start: StartOptions,
): Promise<Accepted<Turn> | ThreadRefusal> {
  const refused = thread.activeTurn() === null ? null : refuseBusy(thread, start);
  if (refused !== null) return refused;
  if (change !== null) (await thread.changeSettings(change)).begin();
  const message = toMessage(params);
  // The running turn may have ended meanwhile; its input would belong to no turn.
  const running = thread.activeTurn();
  if (running !== null) {
    return accepted({ ...running, startedAt: null }, (await thread.steer(message)).begin);
  }
  const options = {
    outputSchema: params.outputSchema ?? null,
    serviceTier: params.serviceTierForTurn ?? null,
    additionalContext: params.additionalContext ?? {},
  };
  return thread.accept({ kind: "user", message, options }, { ...start, origin: originOf(params, start) });
}

/** Parent turns that a client names apply if the caller names none. */
function originOf(
  { rootTurnId, parentTurnId }: TurnParams,
  { origin = FROM_USER }: StartOptions,
): TurnOrigin {
  return {
    ...origin,
    rootTurnId: origin.rootTurnId ?? rootTurnId ?? null,
    parentTurnId: origin.parentTurnId ?? parentTurnId ?? null,
  };
}

function refuseBusy(thread: Thread, { whenBusy = "steer" }: StartOptions): ThreadRefusal | null {
  if (whenBusy === "refuse") return refusal("busy", `thread ${thread.id} has a turn that runs`);
  return refuseUnsteerable(thread);
}

/** Turns of a fixed kind accept no further input. */
function refuseUnsteerable({ activeKind: turnKind }: Thread): ThreadRefusal | null {
  if (turnKind === null || TURN_TRAITS[turnKind].isSteerable) return null;
  const message = `cannot steer a ${turnKind} turn`;
  return refusal("turnNotSteerable", message, {
    message,
    codexErrorInfo: { activeTurnNotSteerable: { turnKind } },
    additionalDetails: null,
    misalignment: null,
  });
}

function toMessage(
  params: Pick<TurnParams, "input" | "clientUserMessageId" | "responsesapiClientMetadata" | "sentBy">,
): UserMessage {
  const { input, clientUserMessageId, responsesapiClientMetadata } = params;
  return {
    input,
    clientUserMessageId: clientUserMessageId ?? null,
    sentBy: senderOf(params),
    clientMetadata: responsesapiClientMetadata ?? null,
  };
}

const MAX_INPUT_CHARS = 1_048_576;

/** Refuses invalid input before anything is stored. */
export function refuseInput(input: readonly UserInput[]): ThreadRefusal | null {
  const remote = input.some((part) => part.type === "image" && "url" in part && /^https?:/i.test(part.url));
  if (remote) return refuseInvalid("remote image URLs are not supported; use an inline data URL instead");
  const texts = input.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // Code points are never more than UTF-16 units, so most inputs need no exact count.
  if (texts.reduce((sum, text) => sum + text.length, 0) <= MAX_INPUT_CHARS) return null;
  const chars = texts.reduce((sum, text) => sum + countChars(text), 0);
  if (chars <= MAX_INPUT_CHARS) return null;
  return refusal("invalidParams", `Input exceeds the maximum length of ${MAX_INPUT_CHARS} characters.`, {
    input_error_code: "input_too_large",
    max_chars: MAX_INPUT_CHARS,
    actual_chars: chars,
  });
}

/** Counts code points, as the peer does. */
function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
