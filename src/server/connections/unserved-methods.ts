/**
 * The methods that have a row and no handler: their params are checked, and they are refused as not supported. A row
 * is in this list or has a handler; the compiler refuses one that is in neither, and one that is in both.
 */
import { RpcError } from "../../jsonrpc/rpc-error.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { Handlers, Method } from "./handler.ts";

const ACCOUNTS = "there are no accounts; a provider is given its key in `config.toml` or in the environment";
const ELICITATION = "no time-out waits for prompts that are outside of the protocol";

/** Each with its reason, for the compatibility page. */
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
} as const satisfies { readonly [M in Method]?: string };

type UnservedMethod = keyof typeof unservedMethods;

/** A handler for every row that is not in the list above, and for none that is. */
export type MethodHandlers = Handlers<Exclude<Method, UnservedMethod>> & {
  readonly [M in UnservedMethod]?: never;
};

/**
 * What people are told who ask for these by a command. The terminal client of Codex says only that they failed, and not
 * what the refusal says.
 */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  "account/logout": `There is nothing to log out of: ${ACCOUNTS}.`,
  "feedback/upload": "No feedback was sent: Heddle sends nothing to anybody but the model provider.",
  "externalAgentConfig/detect":
    "Heddle does not import the configuration of other agents; `heddle lifecycle` translates their hooks.",
};

/** A sentence for the person behind a client that was refused such a method; null where nobody would wonder. */
export function explainUnserved(method: string): string | null {
  return Object.hasOwn(EXPLANATIONS, method) ? (EXPLANATIONS[method] ?? null) : null;
}

/** What a client hears of these methods, and of those of the peer that have no row. */
export class NotSupported extends RpcError {
  constructor(method: string) {
    super(errorCodes.methodNotFound, `${method} is not supported by heddle`);
  }
}
