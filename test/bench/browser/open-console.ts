/** The console of a server in a browser, and what its pages measure about themselves. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { findChromium, INSTALL, openBrowser, type TestBrowser } from "../../console/browser.ts";
import { type ModelConfig, modelConfig } from "../../support/model-config.ts";
import type { RpcClient } from "../../support/rpc-client.ts";
import { type RunningServer, startServer } from "../../support/start-server.ts";
import type { TempHome } from "../../support/temp-home.ts";
import { createBenchHome, type Side } from "../bench.ts";
import { NotMeasured } from "../report.ts";
import { newClient } from "../threads.ts";

const PROBE = readFileSync(join(process.cwd(), "test", "bench", "browser", "page-probe.js"), "utf8");

export interface ConsoleBench {
  readonly browser: TestBrowser;
  readonly server: RunningServer;
  readonly url: string;
  readonly client: RpcClient;
}

interface ConsoleOptions {
  readonly modelUrl: string;
  readonly config?: ModelConfig;
  /** Puts into the home what is to be there before the server starts. */
  readonly prepare?: (home: TempHome) => unknown;
}

export async function withConsole<T>(
  side: Side,
  { modelUrl, config = {}, prepare }: ConsoleOptions,
  measure: (bench: ConsoleBench) => Promise<T>,
): Promise<T> {
  if (findChromium() === null) throw new NotMeasured(INSTALL);
  const home = await createBenchHome(side, modelConfig(modelUrl, config));
  await prepare?.(home);
  const server = await startServer({ program: side.program, home, subcommand: "serve", transport: "ws" });
  const browser = await openBrowser();
  try {
    const url = `http://${server.address ?? ""}`;
    return await measure({ browser, server, url, client: await newClient(server) });
  } finally {
    await browser.close();
    await server.stop();
    await home.remove();
  }
}

/** A page in a context of its own, with nothing in its cache. */
export async function openProbedPage(
  { browser, url }: Pick<ConsoleBench, "browser" | "url">,
  path: string,
): Promise<{ readonly page: Page; close(): Promise<void> }> {
  const { page, close } = await browser.open("about:blank");
  await page.addInitScript(PROBE);
  await page.goto(url + path);
  return { page, close };
}

/** Calls the probe in a page (`page-probe.js`). */
export async function probe<T>(page: Page, name: string, ...args: readonly unknown[]): Promise<T> {
  return page.evaluate<T>(`heddleProbe.${name}(${args.map((arg) => JSON.stringify(arg)).join(", ")})`);
}
