/** The console in a real browser on a real server: what it shows, what its answers do, and that it survives a restart. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { storedFiles } from "../conformance/scenarios/thread-list-files.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { idAt } from "../support/stored-rollouts.ts";
import { PHONE } from "./browser.ts";
import { overflowOf, violationsOf } from "./inspect-page.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { askAbout, type Night, openNight, playHardThread, playThread } from "./night.ts";

/** Kept as build output, for people to look at. */
const SHOTS = join(process.cwd(), ".cache", "console");
mkdirSync(SHOTS, { recursive: true });

const FORMS = {
  dark: {},
  light: { colorScheme: "light" },
  phone: PHONE,
} as const;

/** Every row is drawn. */
const TALL = { viewport: { width: 1440, height: 6000 } };

let night: Night | undefined;
afterEach(async () => {
  await night?.close();
  night = undefined;
});

function parseFrame(payload: string | Buffer) {
  const { method, params = {} } = JSON.parse(String(payload)) as {
    method?: string;
    params?: Readonly<Record<string, unknown>>;
  };
  return { method, params };
}

async function shownItems(page: Page): Promise<string[]> {
  const ids = await page.locator(".thread article").evaluateAll((rows) => rows.map((row) => row.id));
  return ids.filter((id) => !id.startsWith("item-turn-"));
}

async function storedItems(client: RpcClient, threadId: string): Promise<string[]> {
  const { thread } = (await client.result("thread/read", { threadId, includeTurns: true })) as {
    thread: { turns: { items: { id: string }[] }[] };
  };
  return thread.turns.flatMap(({ items }) => items.map(({ id }) => `item-${id}`));
}

describeInBrowser("the console", (browser) => {
  test.each(Object.entries(FORMS))("shows inbox, question, threads and a thread: %s", async (name, form) => {
    night = await openNight();
    const client = await night.connect();
    const threadId = await playThread(night, client, "The fallback should share one retry budget.");
    await playThread(night, client, "أصلِح الاختبار الذي يفشل");
    const hard = await playHardThread(night, client);
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
    await page.goto(`${night.url}/threads/${hard}`);
    await page.getByText("does not know this image format").first().waitFor();
    await check("thread-hard-end");
    await page.keyboard.press("[");
    await page.keyboard.press("[");
    await page.getByRole("button", { name: "Show 2000 lines" }).click();
    await page.getByText("value7 = 7").waitFor();
    await check("thread-hard");
    await page.goto(`${night.url}/threads/nothing-here`);
    await page
      .getByText(/invalid thread id/u)
      .first()
      .waitFor();
    await check("thread-failed");
    await page.goto(`${night.url}/usage`);
    await page.locator(".chart rect").first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "All keys" }).waitFor();
    await check("keys");
    expect(faults).toEqual([]);
    await close();
  });

  test("an item has the decision about it, and a diff is split where its column is wide enough", async () => {
    night = await openNight();
    const client = await night.connect();
    await night.home.write("home/rules/default.rules", 'prefix_rule(pattern=["touch"], decision="allow")\n');
    const threadId = await playThread(night, client, "The budget");
    night.model.extend([
      reply("r", functionCallDone("t1", "exec_command", { cmd: "touch by-a-rule", login: false })),
      messageReply("Touched", { id: "touched" }),
    ]);
    await client.result("turn/start", {
      threadId,
      approvalPolicy: "untrusted",
      input: [{ type: "text", text: "Touch it" }],
    });
    const { page, close } = await browser().open(`${night.url}/threads/${threadId}`, TALL);
    const touched = page.locator("article", { hasText: "touch by-a-rule" });
    await touched.getByText("rule touch").waitFor();
    await touched.getByText("approved").waitFor();
    await touched.getByText(/default\.rules$/u).waitFor();

    const change = page.locator("article", { hasText: "src/retry.ts" });
    await change.getByRole("button", { name: "Split" }).last().click();
    const columns = () =>
      change
        .locator(".pair")
        .last()
        .evaluate((row) => getComputedStyle(row).gridTemplateColumns.split(" ").length);
    expect(await columns()).toBe(6);
    // The window is as wide as before, but the column is not.
    await page.setViewportSize({ width: 1340, height: 6000 });
    await expect.poll(columns).toBe(3);
    expect(await change.getByRole("button", { name: "Split" }).count()).toBe(0);
    await page.setViewportSize({ width: 1000, height: 6000 });
    await expect.poll(columns).toBe(6);
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
    const { page, close } = await browser().open(`${night.url}/threads/${threadId}`, TALL);
    await page.getByText("One test still fails").first().waitFor();
    night.model.extend([messageReply("The answer to the message", { id: "9" })]);
    await page.getByRole("textbox", { name: "Message" }).fill("Go on");
    await page.keyboard.press("Enter");
    await page.getByText("The answer to the message").first().waitFor();

    await night.restart(() => page.getByText("Connection lost").waitFor());
    const other = await night.connect();
    night.model.extend([
      reply("10", functionCallDone("c10", "exec_command", { cmd: "echo after the restart", login: false })),
      messageReply("All of it is here", { id: "11" }),
    ]);
    await other.result("thread/resume", { threadId });
    await other.result("turn/start", { threadId, input: [{ type: "text", text: "More" }] });
    await page.getByText("All of it is here").first().waitFor({ timeout: 30_000 });
    expect(await shownItems(page)).toEqual(await storedItems(other, threadId));
    await close();
  });

  test("a thread in the old format of files is read again after each restart", async () => {
    night = await openNight();
    const { home } = night;
    const threadId = idAt(Date.now() - 3_600_000, 1);
    const stored = {
      id: threadId,
      at: "2026-01-05T12:00:02",
      mode: "legacy",
      said: ["Said long ago"],
    } as const;
    const meta = { cwd: home.workspace, model_provider: "mock" };
    for (const [path, text] of Object.entries(storedFiles({ ...stored, meta })))
      await home.write(path.replace("{{home}}", "home"), text);
    const { page, close } = await browser().open(night.url, TALL);
    const resyncs: unknown[] = [];
    const asked: unknown[] = [];
    page.on("websocket", (socket) => {
      socket.on("framereceived", ({ payload }) => {
        const { method, params } = parseFrame(payload);
        if (method === "thread/resync") resyncs.push(params["reason"]);
      });
      socket.on("framesent", ({ payload }) => {
        const { method, params } = parseFrame(payload);
        if (method === "thread/subscribe") asked.push(params["afterSeq"]);
      });
    });
    await page.goto(`${night.url}/threads/${threadId}`);
    await page.getByText("Said long ago").first().waitFor();
    const said = ["Said long ago", "You said: Said long ago"];
    for (const time of [1, 2]) {
      await night.restart(() => page.getByText("Connection lost").waitFor());
      const other = await night.connect();
      await page.getByText("Connection lost").waitFor({ state: "detached", timeout: 30_000 });
      // Items of such a file have other ids while they are new.
      const ids = await storedItems(other, threadId);
      await expect.poll(() => shownItems(page)).toEqual(ids);
      night.model.extend([messageReply(`Answer ${time}`, { id: `a${time}` })]);
      await other.result("thread/resume", { threadId });
      await other.result("turn/start", { threadId, input: [{ type: "text", text: `Message ${time}` }] });
      await page.getByText(`Answer ${time}`).first().waitFor();
      said.push(`Message ${time}`, `Answer ${time}`);
      expect(await page.locator(".thread :is(.said, .md)").allInnerTexts()).toEqual(said);
    }
    // It has no position to continue from, so that each time the page asks from the end, and reads the history.
    expect(new Set(resyncs)).toEqual(new Set(["noPositions"]));
    expect(asked.length).toBe(3);
    expect(new Set(asked).size).toBe(1);
    await close();
  });
});
