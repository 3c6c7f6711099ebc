import type { TurnOperations } from "../../runtime/threads/turn-operations.ts";
import { type Handlers, unwrap } from "../connections/handler.ts";

export interface TurnHandlersOptions {
  readonly threads: () => Promise<Pick<TurnOperations, "startTurn" | "steer" | "interrupt">>;
}

export function createTurnHandlers({
  threads,
}: TurnHandlersOptions): Handlers<"turn/start" | "turn/steer" | "turn/interrupt"> {
  return {
    /** On a busy thread it joins the running turn, as `turn/steer` does. */
    async "turn/start"(params, { afterResponse }) {
      const { turn, begin } = unwrap(await (await threads()).startTurn(params.threadId, params));
      afterResponse(begin);
      return { turn };
    },

    async "turn/steer"(params, { afterResponse }) {
      const { begin } = unwrap(await (await threads()).steer(params.threadId, params));
      afterResponse(begin);
      return { turnId: params.expectedTurnId };
    },

    /** An empty id means whatever runs. */
    async "turn/interrupt"({ threadId, turnId }, { afterResponse }) {
      const { begin } = unwrap(await (await threads()).interrupt(threadId, turnId));
      afterResponse(begin);
      return {};
    },
  };
}
