/** The logins that wait for their users. Each reports its outcome once; a server has at most one. */
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import type { HttpServer } from "../server/server-config.ts";
import { keyOf } from "./credentials-file.ts";
import type { Login, LoginOutcome } from "./login.ts";
import type { Registration } from "./plan-login.ts";

export interface LoginRequest {
  readonly name: string;
  readonly server: HttpServer;
  readonly scopes: readonly string[] | null;
  readonly registration: Registration;
  /** Null for the default timeout. */
  readonly timeoutSecs: number | null;
  /** The callback endpoint for servers without one of their own. */
  readonly callback: { readonly port: number | null; readonly url: string | null };
  readonly onEnd: (outcome: LoginOutcome, loginId: string) => void;
}

export interface StartedLogin {
  readonly authorizationUrl: string;
  readonly loginId: string;
}

export interface PendingLogins {
  logIn(request: LoginRequest): Promise<StartedLogin>;
  endAll(reason: string): void;
}

export interface PendingLoginsOptions {
  /** The signal aborts a pending start. */
  readonly start: (request: LoginRequest, signal: AbortSignal) => Promise<Login>;
  readonly createId: () => string;
  readonly log: Logger;
}

export const MAX_OPEN_LOGINS = 16;

export function createPendingLogins({ start, createId, log }: PendingLoginsOptions): PendingLogins {
  const open = new Map<string, (reason: string) => void>();
  const closing = new AbortController();
  let starting = 0;

  function watch(key: string, request: LoginRequest, login: Login): StartedLogin {
    const loginId = createId();
    const { name, onEnd } = request;
    let hasEnded = false;
    const end = (outcome: LoginOutcome) => {
      if (hasEnded) return;
      hasEnded = true;
      if (open.get(key) === cancel) open.delete(key);
      log.info("a login to an MCP server has ended", { server: name, outcome: outcome.kind });
      onEnd(outcome, loginId);
    };
    const cancel = (reason: string) => {
      login.cancel(reason);
      // The subscriber may be gone when the login itself reports its end.
      end({ kind: "failed", error: reason });
    };
    open.set(key, cancel);
    void login.ended.then(end);
    return { authorizationUrl: login.authorizationUrl, loginId };
  }

  return {
    async logIn(request) {
      const { name, server } = request;
      const key = keyOf(name, server.url);
      open.get(key)?.(`another login to MCP server '${name}' was started`);
      if (open.size + starting >= MAX_OPEN_LOGINS) {
        throw new Error(`${MAX_OPEN_LOGINS} logins wait for their users; finish one of them first`);
      }
      starting += 1;
      try {
        const login = await start(request, closing.signal);
        const started = watch(key, request, login);
        if (closing.signal.aborted) open.get(key)?.(messageOf(closing.signal.reason));
        return started;
      } finally {
        starting -= 1;
      }
    },
    endAll(reason) {
      closing.abort(new Error(reason));
      for (const cancel of open.values()) cancel(reason);
    },
  };
}
