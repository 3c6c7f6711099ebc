import type { Engine } from "../../engine/engine.ts";
import { contextFault } from "../../engine/input/additional-context.ts";
import type { TurnKind } from "../../engine/state/turn-state.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { Message } from "../../engine/turn/submission.ts";
import type { TurnStartParams } from "../../protocol/generated/types.ts";
import { type Handlers, invalidRequest } from "../handler.ts";
import { findThread } from "../threads/find-thread.ts";
import type { ThreadServices } from "../threads/thread-services.ts";
import { refuseInput } from "../user-input.ts";

export interface TurnHandlersOptions {
  readonly engine: Engine;
  readonly threads: () => Promise<ThreadServices>;
}

export function createTurnHandlers({
  engine,
  threads,
}: TurnHandlersOptions): Handlers<"turn/start" | "turn/steer" | "turn/interrupt"> {
  return {
    /** On a busy thread it joins the running turn, as `turn/steer` does. */
    async "turn/start"(params, { afterReply }) {
      const thread = findThread(engine, params.threadId);
      refuseInput(params.input);
      const fault = contextFault(params.additionalContext ?? {});
      if (fault !== null) throw invalidRequest(fault);
      const starter = await threads();
      const change = await starter.resolveChange(thread, params);
      const running = thread.activeTurn();
      if (running !== null) refuseSteering(thread);
      (await thread.changeSettings(change))();
      const message = toMessage(params);
      if (running !== null) {
        afterReply(await thread.steer(message));
        return { turn: { ...running, startedAt: null } };
      }
      const options = {
        outputSchema: params.outputSchema ?? null,
        serviceTier: params.serviceTierForTurn ?? null,
        additionalContext: params.additionalContext ?? {},
      };
      const { turn, begin } = await thread.accept({ kind: "user", message, options });
      afterReply(begin);
      return { turn };
    },

    async "turn/steer"(params, { afterReply }) {
      const thread = findThread(engine, params.threadId);
      if (params.input.length === 0) throw invalidRequest("input must not be empty");
      refuseInput(params.input);
      if (params.expectedTurnId === "") throw invalidRequest("expectedTurnId must not be empty");
      const { activeTurnId: active } = thread;
      if (active === null) throw invalidRequest("no active turn to steer");
      refuseSteering(thread);
      if (active !== params.expectedTurnId) {
        throw invalidRequest(`expected active turn id \`${params.expectedTurnId}\` but found \`${active}\``);
      }
      afterReply(await thread.steer(toMessage(params)));
      return { turnId: active };
    },

    /** An empty id means whatever runs. */
    async "turn/interrupt"({ threadId, turnId }, { afterReply }) {
      const thread = findThread(engine, threadId);
      const active = thread.activeTurnId;
      if (active === null) throw invalidRequest("no active turn to interrupt");
      if (turnId !== "" && active !== turnId) {
        throw invalidRequest(`expected active turn id ${turnId} but found ${active}`);
      }
      afterReply(await thread.interrupt());
      return {};
    },
  };
}

const NOT_STEERABLE: Partial<Record<TurnKind, string>> = { review: "review", compact: "compact" };

/** A turn that does one fixed thing has no use for further words. */
function refuseSteering({ activeKind }: Thread): void {
  const turnKind = activeKind === null ? undefined : NOT_STEERABLE[activeKind];
  if (turnKind === undefined) return;
  throw invalidRequest(`cannot steer a ${turnKind} turn`, {
    message: `cannot steer a ${turnKind} turn`,
    codexErrorInfo: { activeTurnNotSteerable: { turnKind } },
    additionalDetails: null,
    misalignment: null,
  });
}

function toMessage(
  params: Pick<TurnStartParams, "input" | "clientUserMessageId" | "responsesapiClientMetadata">,
): Message {
  const { input, clientUserMessageId, responsesapiClientMetadata } = params;
  return {
    input,
    clientUserMessageId: clientUserMessageId ?? null,
    clientMetadata: responsesapiClientMetadata ?? null,
  };
}
