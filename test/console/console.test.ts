/** The console in a real browser on a real server: what it shows, what its answers do, and that it survives a restart. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { startServer } from "../support/start-server.ts";
import { PHONE } from "./browser.ts";
import { overflowOf, violationsOf } from "./inspect-page.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { askAbout, type Night, openNight, playThread } from "./night.ts";

/** Kept as build output, for people to look at. */
const SHOTS = join(process.cwd(), ".cache", "console");
mkdirSync(SHOTS, { recursive: true });

const FORMS = {
  dark: {},
  light: { colorScheme: "light" },
  phone: PHONE,
} as const;

let night: Night | undefined;
afterEach(async () => {
  await night?.close();
  night = undefined;
});

const rowsOf = (page: Page): Promise<string[]> =>
  page.locator(".thread article").evaluateAll((rows) => rows.map((row) => row.id));

describeInBrowser("the console", (browser) => {
  test.each(Object.entries(FORMS))("shows inbox, question, threads and a thread: %s", async (name, form) => {
    night = await openNight();
    const client = await night.connect();
    const threadId = await playThread(night, client, "The fallback should share one retry budget.");
    await askAbout(night, client, "npm publish --access public --tag next");
    const { page, faults, close } = await browser().open(`${night.url}/inbox`, form);
    const check = async (view: string) => {
      await page.screenshot({ path: join(SHOTS, `${view}-${name}.png`) });
      const [violations, overflow] = [await violationsOf(page), await overflowOf(page)];
      expect({ view, violations, overflow }).toEqual({ view, violations: [], overflow: 0 });
    };
    await page.getByText("npm publish").first().waitFor();
    await check("inbox");
    await page.locator(".item").first().click();
    await page.getByRole("heading", { name: "Run this command?" }).waitFor();
    await check("question");
    await page.goto(`${night.url}/threads`);
    await page.getByText("The fallback should share").first().waitFor();
    await check("threads");
    await page.goto(`${night.url}/threads/${threadId}`);
    await page.getByText("One test still fails").first().waitFor();
    await page.locator(".code .k").first().waitFor();
    await check("thread");
    expect(faults).toEqual([]);
    await close();
  });

  test("an answer by key counts once it is confirmed, and another page sees who answered", async () => {
    night = await openNight();
    const client = await night.connect();
    await askAbout(night, client, "echo ran >> ran");
    night.model.extend([messageReply("Done")]);
    const first = await browser().open(`${night.url}/inbox`);
    const second = await browser().open(`${night.url}/inbox`);
    for (const { page } of [first, second]) await page.locator(".item").first().click();
    await second.page.getByText("Allow once").first().waitFor();
    await first.page.getByText("Allow once").first().waitFor();
    // A key is ignored until the question has been in view for a moment.
    await expect
      .poll(
        async () => {
          await first.page.keyboard.press("a");
          return first.page.getByText(/Allowed by/u).count();
        },
        { timeout: 20_000, interval: 100 },
      )
      .toBeGreaterThan(0);
    for (const { page } of [first, second])
      await page
        .getByText(/Allowed by heddle_console/u)
        .first()
        .waitFor();
    await expect.poll(() => existsSync(join(night?.home.workspace ?? "", "ran"))).toBe(true);
    expect(readFileSync(join(night.home.workspace, "ran"), "utf8")).toBe("ran\n");
    await first.close();
    await second.close();
  });

  test("a message starts a turn that streams into the page, and a killed server leaves no gap and no duplicate", async () => {
    night = await openNight();
    const client = await night.connect();
    const threadId = await playThread(night, client, "Begin");
    const { page, close } = await browser().open(`${night.url}/threads/${threadId}`);
    await page.getByText("One test still fails").first().waitFor();
    night.model.extend([messageReply("The answer to the message", { id: "9" })]);
    await page.getByRole("textbox", { name: "Message" }).fill("Go on");
    await page.keyboard.press("Enter");
    await page.getByText("The answer to the message").first().waitFor();

    await night.server.stop();
    await page.getByText("Connection lost").waitFor();
    const listen = `ws://${night.server.address ?? ""}`;
    const next = await startServer({ home: night.home, subcommand: "serve", listen, transport: "ws" });
    try {
      const other = await next.connect();
      await other.result("initialize", {
        clientInfo: { name: "other", title: null, version: "1" },
        capabilities: { experimentalApi: true },
      });
      night.model.extend([
        reply("10", functionCallDone("c10", "exec_command", { cmd: "echo after the restart", login: false })),
        messageReply("All of it is here", { id: "11" }),
      ]);
      await other.result("thread/resume", { threadId });
      await other.result("turn/start", { threadId, input: [{ type: "text", text: "More" }] });
      await page.getByText("All of it is here").first().waitFor({ timeout: 30_000 });
      const shown = (await rowsOf(page)).filter((id) => !id.startsWith("item-turn-"));
      expect(new Set(shown).size).toBe(shown.length);
      const { thread } = (await other.result("thread/read", { threadId, includeTurns: true })) as {
        thread: { turns: { items: { id: string; type: string }[] }[] };
      };
      const stored = thread.turns.flatMap(({ items }) => items.map(({ id }) => `item-${id}`));
      expect(shown).toEqual(stored.filter((id) => shown.includes(id)));
      expect(stored.filter((id) => !shown.includes(id))).toEqual([]);
    } finally {
      await next.stop();
    }
    await close();
  });
});
