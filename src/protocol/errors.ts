// The error codes of the wire, with their meaning for clients.

export const errorCodes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  overloaded: -32001,
  forbidden: -32003,
} as const;

export type ErrorName = keyof typeof errorCodes;

export interface ErrorMeaning {
  readonly meaning: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

export const errorMeanings: Readonly<Record<ErrorName, ErrorMeaning>> = {
  invalidRequest: {
    meaning: "The request cannot be served as it is: unknown method, malformed params, wrong state.",
    retryable: false,
  },
  methodNotFound: {
    meaning: "The method exists in the protocol, but not on this server or for this thread.",
    retryable: false,
  },
  invalidParams: {
    meaning: "The params are well formed and still not acceptable.",
    retryable: false,
  },
  internalError: {
    meaning: "The server failed; the request may have been fine.",
    retryable: false,
  },
  overloaded: {
    meaning: "Too many requests are under way.",
    retryable: true,
  },
  forbidden: {
    meaning: "The token of the connection lacks the scope that the request needs; `data.scope` names it.",
    retryable: false,
  },
};
