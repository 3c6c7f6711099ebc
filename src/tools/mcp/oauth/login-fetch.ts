/** Sends the requests of a connection with the tokens of its server. */
import { findRefusal, LoginNeededError } from "./login-needed.ts";
import type { TokenKeeper } from "./token-keeper.ts";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A request whose token is refused is sent once more with another one. */
export function fetchWithLogin(keeper: TokenKeeper, fetchFn: Fetch): Fetch {
  const send = (url: string | URL, init: RequestInit, token: string) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetchFn(url, { ...init, headers });
  };
  return async (url, init = {}) => {
    const token = await keeper.token();
    if (token === null) throw new LoginNeededError(null, true);
    const response = await send(url, init, token);
    const refusal = await findRefusal(response, true);
    if (refusal === null) return response;
    const other = await keeper.renew(token);
    if (other === null) throw refusal;
    const again = await send(url, init, other);
    const secondRefusal = await findRefusal(again, true);
    if (secondRefusal === null) return again;
    keeper.refuse(other);
    throw secondRefusal;
  };
}

/** For servers without a login: a refusal is told in the same way. */
export function fetchWithoutLogin(fetchFn: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetchFn(url, init);
    const refusal = await findRefusal(response, false);
    if (refusal !== null) throw refusal;
    return response;
  };
}
