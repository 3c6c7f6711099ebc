import { version } from "../../base/environment.ts";
import { openHeddle } from "../../server/heddle.ts";
import { parseListenUrl } from "../../transport/listen-address.ts";
import { openWebSocketAuth } from "../../transport/websocket-auth.ts";
import type { Command } from "../command-line/command.ts";
import {
  globalOptions,
  readGlobalSettings,
  readSecretFiles,
  readWebSocketAuthFlags,
  webSocketAuthOptions,
} from "../command-line/options.ts";
import { listenOn } from "../serving/listen.ts";
import { openLogger, runUntilEnd } from "../serving/run-server.ts";

const DEFAULT_URL = "ws://127.0.0.1:4510";

export const serve: Command = {
  options: [
    {
      name: "listen",
      value: "URL",
      help: `Where to listen: ws://IP:PORT or unix://PATH (default ${DEFAULT_URL})`,
      refuse(url) {
        const parsed = parseListenUrl(url, process.cwd());
        if (!parsed.ok) return parsed.message;
        const { kind } = parsed.address;
        return kind === "websocket" || kind === "unix" ? null : "expected `ws://IP:PORT` or `unix://PATH`";
      },
    },
    ...webSocketAuthOptions,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle serve", says: `Listen on ${DEFAULT_URL}` },
    { command: "heddle serve --listen ws://127.0.0.1:0", says: "Listen on any free port" },
  ],
  async run(own, places) {
    const log = openLogger(process.env);
    const parsed = parseListenUrl(own.value("listen") ?? DEFAULT_URL, process.cwd());
    if (!parsed.ok || parsed.address.kind === "stdio" || parsed.address.kind === "off") return 2;
    const refuseUpgrade = openWebSocketAuth(readWebSocketAuthFlags(own), {
      cwd: process.cwd(),
      nowSeconds: () => Math.floor(Date.now() / 1000),
    });
    const heddle = await openHeddle({
      ...readGlobalSettings(...places),
      env: process.env,
      cwd: process.cwd(),
      log,
      secretFiles: readSecretFiles(own, process.cwd()),
    });
    const { url } = await listenOn(heddle, parsed.address, { refuseUpgrade, log });
    const model = await heddle.describeModel();
    process.stdout.write(
      [
        `Heddle ${version}`,
        `  listening on  ${url}`,
        `  home          ${heddle.home}`,
        `  model         ${model}`,
        "",
        "Connect with, for example:",
        `  codex --remote ${url}`,
        "",
        "Ctrl-C ends it; running turns are finished first, a second Ctrl-C does not wait.",
        "",
      ].join("\n"),
    );
    return runUntilEnd(heddle, log, new Promise(() => {}));
  },
};
