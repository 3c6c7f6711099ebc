/**
 * Methods with a row but no handler: their params are checked, and they are refused as not supported. The compiler
 * rejects a row that is neither in this list nor has a handler, and one that is in both.
 */
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { Handlers, RequestMethod } from "./handler.ts";

const ACCOUNTS = "there are no accounts; a provider is given its key in `config.toml` or in the environment";
const ELICITATION = "no time-out waits for prompts that are outside of the protocol";

/** The reasons are shown on the compatibility page. */
export const unservedMethods = {
  "turn/settings/update": "a running turn keeps the settings with which it began",
  "thread/increment_elicitation": ELICITATION,
  "thread/decrement_elicitation": ELICITATION,
  "thread/approveGuardianDeniedAction": "there is no reviewer agent whose refusal could be overruled",
  "environment/info": "there is one environment, the machine on which the server runs",
  "account/login/start": ACCOUNTS,
  "account/login/cancel": ACCOUNTS,
  "account/logout": ACCOUNTS,
  gitDiffToRemote: "changes are told for each turn, and not against a remote branch",
} as const satisfies { readonly [M in RequestMethod]?: string };

type UnservedMethod = keyof typeof unservedMethods;

/** A handler for every row that is not in the list above, and for none that is. */
export type MethodHandlers = Handlers<Exclude<RequestMethod, UnservedMethod>> & {
  readonly [M in UnservedMethod]?: never;
};

/**
 * Warnings to users who call these methods by a command: the terminal client of Codex shows only that they failed, not
 * the message of the error.
 */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  "account/logout": `There is nothing to log out of: ${ACCOUNTS}.`,
  "feedback/upload": "No feedback was sent: Heddle sends nothing to anybody but the model provider.",
  "externalAgentConfig/detect":
    "Heddle does not import the configuration of other agents; `heddle lifecycle` translates their hooks.",
};

/** A warning for the user of a client that was refused `method`; null for methods that users do not call. */
export function explainUnserved(method: string): string | null {
  return Object.hasOwn(EXPLANATIONS, method) ? (EXPLANATIONS[method] ?? null) : null;
}

/** The error for these methods, and for methods of the peer that have no row. */
export class NotSupported extends RpcError {
  constructor(method: string) {
    super(errorCodes.methodNotFound, `${method} is not supported by heddle`);
  }
}
