/** The browser of the tests: one for all of them, with a context for each page. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import programs from "../support/system-programs.json" with { type: "json" };

const NAMES = programs
  .filter(({ program }) => program === "chromium")
  .flatMap(({ program, or = [] }) => [program, ...or]);
const PLACES = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
];

export const INSTALL =
  "no Chromium was found: install it (apt-get install chromium, or npx playwright-core install chromium-headless-shell), or name one in HEDDLE_CHROMIUM";

/** Null where there is none. */
export function findChromium(): string | null {
  const { HEDDLE_CHROMIUM: named, PATH = "" } = process.env;
  if (named !== undefined) return named;
  const onPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...onPath, ...PLACES, chromium.executablePath()].find((path) => existsSync(path)) ?? null;
}

export interface OpenPage {
  readonly page: Page;
  /** Errors of the page, and reports of its content security policy. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export interface TestBrowser {
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>;
  close(): Promise<void>;
}

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

export async function openBrowser(): Promise<TestBrowser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error(INSTALL);
  const browser: Browser = await chromium.launch({ executablePath });
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        reducedMotion: "reduce",
        colorScheme: "dark",
        ...options,
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      await page.goto(url);
      return { page, faults, close: () => context.close() };
    },
    close: () => browser.close(),
  };
}
