import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { version } from "../../base/environment.ts";
import { joinWords } from "../../base/shlex.ts";
import { type ConfigOrigin, openConfigSource } from "../../runtime/configuration/config-source.ts";
import { configOutcome, orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { type Heddle, openHeddle } from "../../server/heddle.ts";
import { parseListenUrl } from "../../transport/listen-address.ts";
import { openWebSocketAuth, type WebSocketAuthFlags } from "../../transport/websocket-auth.ts";
import type { MetricsPage } from "../../transport/websocket-listener.ts";
import { type Command, UsageError } from "../command-line/command.ts";
import {
  globalOptions,
  readGlobalSettings,
  readSecretFiles,
  readWebSocketAuthFlags,
  webSocketAuthOptions,
} from "../command-line/options.ts";
import { createServiceManager } from "../service/service-manager.ts";
import { takeServiceVariables } from "../service/service-variables.ts";
import { keepWatch } from "../service/watchdog.ts";
import { listenOn, listenOnHanded } from "../serving/listen.ts";
import { listenerOptions, readListenerSettings } from "../serving/listener-options.ts";
import { logOptions, openLog } from "../serving/open-log.ts";
import { createReadiness } from "../serving/readiness.ts";
import { runUntilEnd } from "../serving/run-server.ts";
import { learnEarly } from "../serving/v8-flags.ts";

const DEFAULT_URL = "ws://127.0.0.1:4510";

export const serve: Command = {
  details:
    "Under systemd it listens on the sockets that a socket unit hands over, in place of `--listen`, and says when it is ready, that it lives, and that it ends.",
  options: [
    {
      name: "listen",
      value: "URL",
      help: `Where to listen: ws://IP:PORT or unix://PATH (default ${DEFAULT_URL})`,
      validate(url) {
        const parsed = parseListenUrl(url, process.cwd());
        if (!parsed.ok) return parsed.message;
        const { kind } = parsed.address;
        return kind === "websocket" || kind === "unix" ? null : "expected `ws://IP:PORT` or `unix://PATH`";
      },
    },
    {
      name: "metrics",
      help: "Serve metrics for Prometheus on GET /metrics; with --ws-auth, to whoever has the token",
    },
    ...webSocketAuthOptions,
    ...listenerOptions,
    ...logOptions,
    ...globalOptions,
  ],
  examples: [
    { command: "heddle serve", description: `Listen on ${DEFAULT_URL}` },
    { command: "heddle serve --listen ws://127.0.0.1:0", description: "Listen on any free port" },
    { command: "heddle serve --metrics", description: "Also answer http://127.0.0.1:4510/metrics" },
  ],
  async run(args, chain) {
    const { env } = process;
    const cwd = process.cwd();
    const variables = takeServiceVariables(env, process.pid);
    const parsed = parseListenUrl(args.value("listen") ?? DEFAULT_URL, cwd);
    if (!parsed.ok || parsed.address.kind === "stdio" || parsed.address.kind === "off") return 2;
    const { address } = parsed;
    const nowSeconds = () => Math.floor(Date.now() / 1000);
    const origin = { ...readGlobalSettings(...chain), env, cwd, needsUsableConfig: true };
    const log = openLog({ args, env, cwd, folder: await readLogFolder(origin) });
    const onFault = (reason: string) =>
      log.error("the new secret of the listener cannot be used", { reason });
    const judgeUpgrade = openWebSocketAuth(readWebSocketAuthFlags(args), { cwd, nowSeconds, onFault });
    const manager = createServiceManager(variables, log);
    if (manager.sockets.length > 0 && args.flag("listen"))
      throw new UsageError("the argument '--listen' cannot be used where a socket unit opens the sockets");
    const hasToken = judgeUpgrade !== null;
    const isTcp = address.kind === "websocket";
    const settings = readListenerSettings(args, { cwd, log, hasToken, isTcp });
    const secretFiles = [...readSecretFiles(args, cwd), ...manager.files];
    const heddle = await openHeddle({ ...origin, log, secretFiles, onFirstUse: learnEarly });
    const readiness = createReadiness(heddle, log);
    try {
      // Nobody is to find a listener behind which nothing works.
      await heddle.checkReady();
      const model = await heddle.describeModel();
      const hasMetrics = args.flag("metrics");
      const metrics = hasMetrics ? await openMetricsPage(heddle) : undefined;
      const options = { ...settings, judgeUpgrade, log, unreadiness: readiness.reason, metrics };
      const urls: string[] = [];
      for (const socket of manager.sockets) urls.push(await listenOnHanded(heddle, socket, options));
      if (urls.length === 0) urls.push((await listenOn(heddle, address, options)).url);
      // Stdout stays free, as it does for the other servers.
      const auth = readWebSocketAuthFlags(args);
      process.stderr.write(renderBanner({ urls, home: heddle.home, model, auth, hasMetrics }));
      await heddle.continueQueues(true);
      void manager.tell("READY=1", `STATUS=listening on ${urls.join(", ")}`);
    } catch (error) {
      await heddle.close();
      throw error;
    }
    const endWatch = keepWatch({ manager, clock: systemClock, check: heddle.checkStore, log });
    heddle.onClose(async () => endWatch());
    return runUntilEnd(heddle, log, new Promise(() => {}), {
      onEnding() {
        readiness.end();
        return manager.tell("STOPPING=1", "STATUS=running turns are finished first");
      },
      onWaiting: (turns) => void manager.tell(`STATUS=running turns are finished first: ${turns}`),
    });
  },
};

/** Counting begins before anybody is served. */
async function openMetricsPage(heddle: Heddle): Promise<MetricsPage> {
  const { text } = await heddle.openMetrics();
  const { PROMETHEUS_TYPE } = await import("../../base/metrics/prometheus-text.ts");
  return { contentType: PROMETHEUS_TYPE, read: text };
}

/** Where the configuration wants the log to be. */
async function readLogFolder(origin: ConfigOrigin): Promise<string | null> {
  const userHome = origin.env["HOME"] || homedir();
  const config = await (await openConfigSource({ ...origin, userHome, createId: randomUUID })).get();
  return orThrow(configOutcome(await config.effective())).values.log_dir;
}

export interface Banner {
  /** At least one. */
  readonly urls: readonly string[];
  readonly home: string;
  readonly model: string;
  readonly auth: WebSocketAuthFlags;
  readonly hasMetrics: boolean;
}

/** What people are told: where the server is, and the command that connects to it. */
export function renderBanner({ urls, home, model, auth, hasMetrics }: Banner): string {
  const [url = ""] = urls;
  const scraped = hasMetrics ? urls.filter((each) => /^wss?:/u.test(each)) : [];
  return [
    `Heddle ${version}`,
    ...urls.map((each) => `  listening on  ${each}`),
    `  home          ${home}`,
    `  model         ${model}`,
    ...scraped.map((each) => `  metrics       ${each.replace(/^ws/u, "http")}/metrics`),
    "",
    "Connect with, for example:",
    ...connecting(url, auth).map((line) => `  ${line}`),
    "",
    "Ctrl-C ends it; running turns are finished first, a second Ctrl-C does not wait.",
    "",
  ].join("\n");
}

/** The token itself is not printed: it is read where it lies, or its holder knows it. */
function connecting(url: string, { mode, tokenFile, sharedSecretFile }: WebSocketAuthFlags): string[] {
  if (mode === undefined || !/^wss?:/u.test(url)) return [`codex --remote ${url}`];
  const token =
    mode === "signed-bearer-token"
      ? `'<a JWT signed with the secret in ${sharedSecretFile ?? "its file"}>'`
      : tokenFile === undefined
        ? "'<the token>'"
        : `"$(cat ${joinWords([tokenFile])})"`;
  return [
    `export ${TOKEN_VARIABLE}=${token}`,
    `codex --remote ${url} --remote-auth-token-env ${TOKEN_VARIABLE}`,
  ];
}

const TOKEN_VARIABLE = "HEDDLE_TOKEN";
