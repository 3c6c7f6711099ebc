/**
 * Who sent the input of a turn: the subject of the client's token. It is kept with the params of the turn, so that it
 * survives in the queue and in schedules.
 */
export type Signed = { readonly sentBy?: string | null };

/** Replaces whatever a client says about its sender. */
export function sign<P extends object>(params: P, subject: string | null): P & Signed {
  if (subject === null && !("sentBy" in params)) return params;
  return { ...params, sentBy: subject };
}

/** Null where the client had no subject. */
export function senderOf({ sentBy }: { readonly sentBy?: unknown }): string | null {
  return typeof sentBy === "string" ? sentBy : null;
}
