import { expect, test } from "vitest";
import { silentLogger } from "../../../base/logger.ts";
import { createDeferred } from "../../../base/tasks.ts";
import { NO_LOGIN } from "../fixtures/no-login.ts";
import type { HttpServer } from "../server/server-config.ts";
import type { LoginOutcome } from "./login.ts";
import { createPendingLogins, MAX_OPEN_LOGINS } from "./pending-logins.ts";

const SERVER: HttpServer = {
  kind: "http",
  url: "http://127.0.0.1/mcp",
  bearerTokenEnvVar: null,
  headers: {},
  envHeaders: {},
  helper: null,
  login: NO_LOGIN,
};

function open() {
  const reports: [string, LoginOutcome][] = [];
  const ends = new Map<string, (outcome: LoginOutcome) => void>();
  let ids = 0;
  const logins = createPendingLogins({
    log: silentLogger,
    createId: () => {
      ids += 1;
      return `login-${ids}`;
    },
    async start({ name }) {
      const ended = createDeferred<LoginOutcome>();
      ends.set(name, ended.resolve);
      return {
        authorizationUrl: `https://example.test/${name}`,
        ended: ended.promise,
        cancel: (error) => ended.resolve({ kind: "failed", error }),
      };
    },
  });
  const logIn = (name: string) =>
    logins.logIn({
      name,
      server: SERVER,
      scopes: null,
      registration: "auto",
      timeoutSecs: null,
      callback: { port: null, url: null },
      onEnd: (outcome, loginId) => reports.push([loginId, outcome]),
    });
  return { logins, logIn, reports, ends };
}

/** Lets everything happen that waits for nothing but its turn. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a login is reported once when it has ended", async () => {
  const { logins, logIn, reports, ends } = open();
  expect(await logIn("web")).toEqual({
    authorizationUrl: "https://example.test/web",
    loginId: "login-1",
  });
  ends.get("web")?.({ kind: "succeeded" });
  await settled();
  logins.endAll("the server is shutting down");
  await settled();
  expect(reports).toEqual([["login-1", { kind: "succeeded" }]]);
});

test("a second login to a server ends the first, and only that", async () => {
  const { logIn, reports } = open();
  await logIn("web");
  await logIn("other");
  await logIn("web");
  await settled();
  const error = "another login to MCP server 'web' was started";
  expect(reports).toEqual([["login-1", { kind: "failed", error }]]);
});

test("a shutdown reports every open login at once", async () => {
  const { logins, logIn, reports } = open();
  await logIn("web");
  await logIn("other");
  logins.endAll("the server is shutting down");
  const outcome = { kind: "failed", error: "the server is shutting down" };
  expect(reports).toEqual([
    ["login-1", outcome],
    ["login-2", outcome],
  ]);
  await logIn("late");
  expect(reports.at(-1)).toEqual(["login-3", outcome]);
});

test("only so many logins are open at once", async () => {
  const { logIn, ends } = open();
  for (let index = 0; index < MAX_OPEN_LOGINS; index += 1) await logIn(`server-${index}`);
  await expect(logIn("one more")).rejects.toThrow("16 logins wait for their users; finish one of them first");
  ends.get("server-3")?.({ kind: "succeeded" });
  await settled();
  expect(await logIn("one more")).toMatchObject({ loginId: "login-17" });
});
