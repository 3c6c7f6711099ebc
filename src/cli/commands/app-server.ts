import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred, inBackground } from "../../base/tasks.ts";
import { type Heddle, openHeddle } from "../../server/heddle.ts";
import { type ListenAddress, parseListenUrl } from "../../transport/listen-address.ts";
import { openStdio } from "../../transport/stdio.ts";
import type { JudgeUpgrade } from "../../transport/websocket-auth.ts";
import { type Command, type ParsedArguments, UsageError } from "../command-line/command.ts";
import {
  globalOptions,
  readGlobalSettings,
  readSecretFiles,
  readWebSocketAuthFlags,
  webSocketAuthOptions,
} from "../command-line/options.ts";
import { collectAfterPrefetch } from "../serving/idle-collector.ts";
import { logOptions, openLog } from "../serving/open-log.ts";
import { runUntilEnd } from "../serving/run-server.ts";
import { tuneV8 } from "../serving/v8-flags.ts";

export const appServer: Command = {
  options: [
    {
      name: "listen",
      value: "URL",
      help: "Where to listen: stdio:// (default), unix://, unix://PATH or ws://IP:PORT",
      validate(url) {
        const parsed = parseListenUrl(url, process.cwd());
        return parsed.ok ? null : parsed.message;
      },
    },
    { name: "stdio", help: "The same as --listen stdio://" },
    ...webSocketAuthOptions,
    ...logOptions,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle app-server", description: "One JSON message a line on stdin and stdout" },
    {
      command: "heddle app-server --listen ws://127.0.0.1:4510",
      description: "A WebSocket for clients on this machine",
    },
    {
      command:
        "heddle app-server --listen ws://0.0.0.0:4510 --ws-auth capability-token --ws-token-file /run/token",
      description: "A WebSocket for clients elsewhere, who must know the token",
    },
  ],
  async run(args, chain) {
    const log = openLog({ args, env: process.env, cwd: process.cwd() });
    const address = listenAddress(args);
    const judgeUpgrade = await openAuth(args, log);
    const heddle = await openHeddle({
      ...readGlobalSettings(...chain),
      env: process.env,
      cwd: process.cwd(),
      log,
      secretFiles: readSecretFiles(args, process.cwd()),
      prefetches: true,
      onPrefetched: collectAfterPrefetch,
      onFirstUse() {
        tuneV8(systemClock);
        // A stdio server starts no work before the first request of its client.
        inBackground(log, "continuing queues", heddle.continueQueues(false));
      },
    });
    if (address.kind === "off") throw new Error("no transport configured; use --listen");
    const { ended } = await serveOn(heddle, address, judgeUpgrade, log);
    if (address.kind !== "stdio") await heddle.continueQueues(false);
    return runUntilEnd(heddle, log, ended);
  },
};

function listenAddress(args: ParsedArguments): ListenAddress {
  const url = args.value("listen");
  if (args.flag("stdio") && url !== undefined) {
    throw new UsageError("the argument '--stdio' cannot be used with '--listen <URL>'");
  }
  const parsed = parseListenUrl(url ?? "stdio://", process.cwd());
  if (!parsed.ok) throw new UsageError(parsed.message);
  return parsed.address;
}

async function openAuth(args: ParsedArguments, log: Logger): Promise<JudgeUpgrade | null> {
  const flags = readWebSocketAuthFlags(args);
  if (Object.values(flags).every((flag) => flag === undefined)) return null;
  const { openWebSocketAuth } = await import("../../transport/websocket-auth.ts");
  return openWebSocketAuth(flags, {
    cwd: process.cwd(),
    nowSeconds: () => Math.floor(Date.now() / 1000),
    onFault: (reason) => log.error("the new secret of the listener cannot be used", { reason }),
  });
}

/** Opens the listener; `ended` resolves when the only client of a stdio server has disconnected. */
async function serveOn(
  heddle: Heddle,
  address: Exclude<ListenAddress, { kind: "off" }>,
  judgeUpgrade: JudgeUpgrade | null,
  log: Logger,
): Promise<{ readonly ended: Promise<void> }> {
  if (address.kind === "stdio") {
    const ended = createDeferred<void>();
    heddle.onDisconnect(() => ended.resolve());
    heddle.connect(openStdio({ input: process.stdin, output: process.stdout, limits: heddle.limits, log }));
    return { ended: ended.promise };
  }
  const { LOCAL_LISTENER, listenOn } = await import("../serving/listen.ts");
  const { banner } = await listenOn(heddle, address, { ...LOCAL_LISTENER, judgeUpgrade, log });
  process.stderr.write(banner);
  return { ended: new Promise(() => {}) };
}
