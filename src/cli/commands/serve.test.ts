import { expect, test } from "vitest";
import type { WebSocketAuthFlags } from "../../transport/websocket-auth.ts";
import { renderBanner } from "./serve.ts";

const NO_AUTH: WebSocketAuthFlags = {
  mode: undefined,
  tokenFile: undefined,
  tokenSha256: undefined,
  sharedSecretFile: undefined,
  issuer: undefined,
  audience: undefined,
  maxClockSkewSeconds: undefined,
};
const URL = "ws://127.0.0.1:4510";
const withToken = `codex --remote ${URL} --remote-auth-token-env HEDDLE_TOKEN`;

test.each<[auth: Partial<WebSocketAuthFlags>, url: string, lines: string[]]>([
  [{}, URL, [`codex --remote ${URL}`]],
  [{}, "unix:///run/h.sock", ["codex --remote unix:///run/h.sock"]],
  [
    { mode: "capability-token", tokenFile: "/run/my token" },
    URL,
    [`export HEDDLE_TOKEN="$(cat '/run/my token')"`, withToken],
  ],
  [{ mode: "capability-token", tokenSha256: "00" }, URL, ["export HEDDLE_TOKEN='<the token>'", withToken]],
  [
    { mode: "capability-token", tokenFile: "/run/token" },
    "wss://127.0.0.1:4510",
    [
      'export HEDDLE_TOKEN="$(cat /run/token)"',
      "codex --remote wss://127.0.0.1:4510 --remote-auth-token-env HEDDLE_TOKEN",
    ],
  ],
  [
    { mode: "signed-bearer-token", sharedSecretFile: "/run/secret" },
    URL,
    ["export HEDDLE_TOKEN='<a JWT signed with the secret in /run/secret>'", withToken],
  ],
])("with %j the banner connects to %s", (auth, url, lines) => {
  const banner = renderBanner({
    urls: [url],
    home: "/home",
    store: "/home",
    model: "m",
    auth: { ...NO_AUTH, ...auth },
    hasMetrics: false,
    page: null,
  });
  expect(banner).toContain(`  listening on  ${url}\n`);
  expect(banner).toContain(`example:\n${lines.map((line) => `  ${line}\n`).join("")}\nCtrl-C`);
});

test("the banner names a store that is not the home", () => {
  const banner = renderBanner({
    urls: [URL],
    home: "/home",
    store: "postgres://host/threads",
    model: "m",
    auth: NO_AUTH,
    hasMetrics: false,
    page: null,
  });
  expect(banner).toContain("  home          /home\n  store         postgres://host/threads\n");
});

test.each([
  [true, URL, "  metrics       http://127.0.0.1:4510/metrics\n"],
  [true, "wss://[::1]:4510", "  metrics       https://[::1]:4510/metrics\n"],
  [true, "unix:///run/h.sock", ""],
  [false, URL, ""],
])("with metrics %s at %s the banner has %j", (hasMetrics, url, line) => {
  const banner = renderBanner({
    urls: [url],
    home: "/home",
    store: "/home",
    model: "m",
    auth: NO_AUTH,
    hasMetrics,
    page: null,
  });
  expect(banner).toContain(`  model         m\n${line}\nConnect`);
});
