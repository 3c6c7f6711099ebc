import { expect, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { createDeferred } from "../../../base/tasks.ts";
import type { Credentials } from "./credentials-file.ts";
import { createTokenProvider, EXPIRY_MARGIN_MS, type Renewal } from "./token-provider.ts";

const LOGIN: Credentials = {
  serverName: "web",
  serverUrl: "http://127.0.0.1/mcp",
  issuer: "http://127.0.0.1",
  clientId: "client",
  accessToken: "old",
  expiresAt: 100_000,
  refreshToken: "refresh",
  scopes: [],
};
const FRESH: Credentials = { ...LOGIN, accessToken: "new", expiresAt: 10_000_000 };

function open(initial: Credentials | null, answer: () => Promise<Renewal>) {
  const clock = createFakeClock(0);
  const renewals: string[] = [];
  const saved: Credentials[] = [];
  const file = { stored: initial };
  const provider = createTokenProvider({
    name: "web",
    url: LOGIN.serverUrl,
    clock,
    file: {
      load: async () => file.stored,
      async save(credentials) {
        saved.push(credentials);
        file.stored = credentials;
      },
    },
    renewTokens(stored) {
      renewals.push(stored.accessToken);
      return answer();
    },
  });
  return { provider, clock, renewals, saved, file };
}

const renewed = async (): Promise<Renewal> => ({ kind: "renewed", credentials: FRESH });
const rejected = async (): Promise<Renewal> => ({ kind: "rejected" });

test("a token is sent as it is until shortly before its end, and is then replaced", async () => {
  const { provider, clock, saved } = open(LOGIN, renewed);
  expect(await provider.load()).toBe("usable");
  clock.advance(100_000 - EXPIRY_MARGIN_MS - 1);
  expect(await provider.token()).toBe("old");
  clock.advance(1);
  expect(await provider.token()).toBe("new");
  expect(saved).toEqual([FRESH]);
});

test("all requests that find the token expired or refused wait for one renewal", async () => {
  const gate = createDeferred<void>();
  const { provider, clock, renewals, saved } = open(LOGIN, async () => {
    await gate.promise;
    return renewed();
  });
  clock.advance(100_000);
  const waiting = [provider.token(), provider.token(), provider.renew("old"), provider.token()];
  gate.resolve();
  expect(await Promise.all(waiting)).toEqual(["new", "new", "new", "new"]);
  expect(await provider.renew("old")).toBe("new");
  expect(renewals).toEqual(["old"]);
  expect(saved).toEqual([FRESH]);
});

test("tokens that another program has renewed are taken over", async () => {
  const { provider, renewals, file } = open(LOGIN, renewed);
  expect(await provider.token()).toBe("old");
  file.stored = FRESH;
  expect(await provider.renew("old")).toBe("new");
  expect(renewals).toEqual([]);
});

test("a refresh token that is refused is forgotten, and only a login helps", async () => {
  const { provider, saved } = open(LOGIN, rejected);
  expect(await provider.token()).toBe("old");
  expect(await provider.renew("old")).toBeNull();
  expect(saved).toEqual([{ ...LOGIN, refreshToken: null }]);
  expect(await provider.load()).toBe("unusable");
});

test("a login that comes in while tokens are renewed has the last word", async () => {
  const { provider, file, saved } = open(LOGIN, async () => {
    file.stored = { ...LOGIN, accessToken: "of the login" };
    return { kind: "renewed", credentials: FRESH };
  });
  expect(await provider.renew("old")).toBe("of the login");
  expect(saved).toEqual([]);
});

test("a renewal that could not be had is told, and tried again with the next request", async () => {
  const answers = [async () => Promise.reject(new Error("no network")), renewed];
  const { provider, clock } = open(LOGIN, () => answers.shift()?.() ?? renewed());
  clock.advance(100_000);
  await expect(provider.token()).rejects.toThrow("failed to refresh OAuth tokens for server web: no network");
  expect(await provider.token()).toBe("new");
});

test.each([
  [null, "none"],
  [LOGIN, "usable"],
  [{ ...LOGIN, expiresAt: null, refreshToken: null }, "usable"],
  [{ ...LOGIN, expiresAt: 0 }, "usable"],
  [{ ...LOGIN, expiresAt: 0, refreshToken: " " }, "unusable"],
  [{ ...LOGIN, expiresAt: 0, issuer: null }, "unusable"],
  [{ ...LOGIN, clientId: " " }, "unusable"],
  [{ ...LOGIN, accessToken: " ", refreshToken: null }, "unusable"],
])("what is stored is judged by whether it can be of use (%#)", async (stored, standing) => {
  expect(await open(stored, renewed).provider.load()).toBe(standing);
});

test("nothing is sent where nothing is stored", async () => {
  expect(await open(null, renewed).provider.token()).toBeNull();
});
