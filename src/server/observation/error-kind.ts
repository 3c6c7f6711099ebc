import type { TurnError } from "../../protocol/generated/types.ts";

export interface ErrorKind {
  readonly error: string;
  readonly httpStatus: number | null;
}

/** The kind of a failure and its HTTP status. The message is omitted, because it may quote text of a user. */
export function errorKindOf({ codexErrorInfo: info }: TurnError): ErrorKind {
  if (info === null || typeof info === "string") return { error: info ?? "other", httpStatus: null };
  const [error = "other", facts] = Object.entries(info)[0] ?? [];
  const status = (facts as { readonly httpStatusCode?: unknown } | undefined)?.httpStatusCode;
  return { error, httpStatus: typeof status === "number" ? status : null };
}
