import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { systemClock } from "../../base/clock.ts";
import { version } from "../../base/environment.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { joinWords } from "../../base/shlex.ts";
import { type ConfigOrigin, openConfigSource } from "../../runtime/configuration/config-source.ts";
import { configOutcome, orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { type Heddle, type HeddleOptions, openHeddle } from "../../server/heddle.ts";
import type { MetricsPage } from "../../server/http/server-routes.ts";
import { threadEventRoutes } from "../../server/http/stream-routes.ts";
import { wakeRoute } from "../../server/http/wake-route.ts";
import { parseStoreAddress } from "../../store/open/store-address.ts";
import { parseListenUrl } from "../../transport/listen-address.ts";
import { openWebSocketAuth, type WebSocketAuthFlags } from "../../transport/websocket-auth.ts";
import { type Command, type ParsedArguments, UsageError } from "../command-line/command.ts";
import {
  globalOptions,
  readGlobalSettings,
  readSecretFiles,
  readWebSocketAuthFlags,
  webSocketAuthOptions,
} from "../command-line/options.ts";
import { createServiceManager } from "../service/service-manager.ts";
import { takeServiceVariables } from "../service/service-variables.ts";
import { startWatchdog } from "../service/watchdog.ts";
import { createConsoleFront } from "../serving/console-front.ts";
import { collectAfterPrefetch } from "../serving/idle-collector.ts";
import { listenOn, listenOnDescriptor } from "../serving/listen.ts";
import { listenerOptions, readListenerSettings } from "../serving/listener-options.ts";
import { logOptions, openLog } from "../serving/open-log.ts";
import { runUntilEnd } from "../serving/run-server.ts";
import { tuneV8 } from "../serving/v8-flags.ts";

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
      help: "Serve metrics for Prometheus on GET /metrics; with --ws-auth, a token is required",
    },
    {
      name: "store",
      value: "URL",
      help: "Where threads are kept: postgres://HOST/DATABASE, which several servers may share, in place of the home",
      validate: storeFault,
    },
    { name: "no-console", help: "Serve no web page: only programs can connect" },
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
    const heddle = await openHeddle({
      ...origin,
      log,
      secretFiles,
      ...storeOf(args),
      prefetches: true,
      asksAfterRestart: true,
      onPrefetched: collectAfterPrefetch,
      onFirstUse: () => tuneV8(systemClock),
    });
    const readiness = createReadiness(heddle, log);
    try {
      // A listener must not be open before the server is usable.
      await heddle.checkReady();
      const [model, store] = [await heddle.describeModel(), await heddle.describeStore()];
      const hasMetrics = args.flag("metrics");
      const metrics = hasMetrics ? await openMetricsPage(heddle) : undefined;
      const routes = [
        ...threadEventRoutes({ logs: heddle.eventLogs, clock: systemClock, random: Math.random }),
        wakeRoute(heddle.answerWake),
      ];
      const console = createConsoleFront(heddle, !args.flag("no-console"));
      const options = {
        ...settings,
        judgeUpgrade,
        log,
        unreadiness: readiness.reason,
        metrics,
        routes: [...routes, ...console.routes],
        sessions: console.sessions,
      };
      const urls: string[] = [];
      for (const socket of manager.sockets) urls.push(await listenOnDescriptor(heddle, socket, options));
      if (urls.length === 0) urls.push((await listenOn(heddle, address, options)).url);
      // The banner goes to stderr, as for the other servers.
      const auth = readWebSocketAuthFlags(args);
      const page = await console.signInAddress(urls, env);
      process.stderr.write(renderBanner({ urls, home: heddle.home, store, model, auth, hasMetrics, page }));
      await heddle.continueQueues(true);
      await heddle.deliverWebhooks();
      void manager.notify("READY=1", `STATUS=listening on ${urls.join(", ")}`);
    } catch (error) {
      await heddle.close();
      throw error;
    }
    const stopWatchdog = startWatchdog({ manager, clock: systemClock, check: heddle.checkStore, log });
    heddle.onClose(async () => stopWatchdog());
    return runUntilEnd(heddle, log, new Promise(() => {}), {
      onEnding() {
        readiness.end();
        return manager.notify("STOPPING=1", "STATUS=running turns are finished first");
      },
      onWaiting: (turns) => void manager.notify(`STATUS=running turns are finished first: ${turns}`),
    });
  },
};

/** Starts counting before any client is served. */
async function openMetricsPage(heddle: Heddle): Promise<MetricsPage> {
  const { text } = await heddle.openMetrics();
  const { PROMETHEUS_TYPE } = await import("../../base/metrics/prometheus-text.ts");
  return { contentType: PROMETHEUS_TYPE, read: text };
}

/** Does not quote the address, which may have a password. */
function storeFault(url: string): string | null {
  try {
    parseStoreAddress(url);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function storeOf(args: ParsedArguments): Pick<HeddleOptions, "store"> {
  const store = args.value("store");
  return store === undefined ? {} : { store };
}

/** The log folder of the configuration. */
async function readLogFolder(origin: ConfigOrigin): Promise<string | null> {
  const userHome = origin.env["HOME"] || homedir();
  const config = await (await openConfigSource({ ...origin, userHome, createId: randomUUID })).get();
  return orThrow(configOutcome(await config.effective())).values.log_dir;
}

export interface Banner {
  readonly urls: readonly string[];
  readonly home: string;
  /** Where threads are kept; the home for a store in files. */
  readonly store: string;
  readonly model: string;
  readonly auth: WebSocketAuthFlags;
  readonly hasMetrics: boolean;
  /** The address of the console; null without one. */
  readonly page: string | null;
}

/** The start-up banner, with a command that connects. */
export function renderBanner({ urls, home, store, model, auth, hasMetrics, page }: Banner): string {
  const [url = ""] = urls;
  const scraped = hasMetrics ? urls.filter((each) => /^wss?:/u.test(each)) : [];
  return [
    `Heddle ${version}`,
    ...urls.map((each) => `  listening on  ${each}`),
    `  home          ${home}`,
    ...(store === home ? [] : [`  store         ${store}`]),
    `  model         ${model}`,
    ...scraped.map((each) => `  metrics       ${each.replace(/^ws/u, "http")}/metrics`),
    "",
    "Connect with, for example:",
    ...connectCommands(url, auth).map((line) => `  ${line}`),
    "",
    ...(page === null ? [] : [`Open ${page}`, ""]),
    "Ctrl-C ends it; running turns are finished first, a second Ctrl-C does not wait.",
    "",
  ].join("\n");
}

/** The token is not printed; the command reads it from its file, or names a placeholder. */
function connectCommands(url: string, { mode, tokenFile, sharedSecretFile }: WebSocketAuthFlags): string[] {
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

interface Readiness {
  /** Why the server is not ready, in one line for the prober; null where it is ready. */
  reason(): Promise<string | null>;
  /** Marks the server as not ready, so that load balancers choose another one while running turns finish. */
  end(): void;
}

const ENDING = "the server is ending: running turns are finished first";
const UNUSABLE = "the server cannot be used: its log says why";

/**
 * The check behind `/readyz`. Faults may contain paths and configuration, so they are logged, once each, and not sent
 * to the prober.
 */
function createReadiness({ checkReady }: Pick<Heddle, "checkReady">, log: Logger): Readiness {
  let isEnding = false;
  let known: string | null = null;
  return {
    async reason() {
      if (isEnding) return ENDING;
      const fault = await checkReady().then(() => null, messageOf);
      if (fault !== null && fault !== known) log.error("the server cannot be used", { fault });
      known = fault;
      return fault === null ? null : UNUSABLE;
    },
    end() {
      isEnding = true;
    },
  };
}
