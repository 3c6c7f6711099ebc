/** Every key of the table does what the table says, and the help lists exactly the table. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KeyName } from "../../src/console/ui/key-table.ts";
import { messageReply, unfinishedReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { askAbout, type Night, openNight } from "./night.ts";

/** More than a page of the history has. */
const TURNS = 24;

/** Commands are allowed once or always; changes of files also for a thread. */
const PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: made.txt\n+made\n*** End Patch\nEOF";

describeInBrowser("the keys", (browser) => {
  let night: Night;
  let client: RpcClient;
  let long: string;
  beforeAll(async () => {
    night = await openNight();
    client = await night.connect();
    long = await playTurns(night, client, TURNS);
  });
  afterAll(() => night?.close());

  const at = (page: Page) => new URL(page.url()).pathname;
  const pathOfQuestion = async (threadId: string): Promise<string> => {
    const { data } = (await client.result("approval/list", { status: "open" })) as {
      data: { id: string; threadId: string }[];
    };
    return `/inbox/${data.find((approval) => approval.threadId === threadId)?.id ?? ""}`;
  };
  const ask = async (cmd: string) => pathOfQuestion(await askAbout(night, client, cmd));
  async function show(page: Page, path: string, text: string): Promise<void> {
    await page.goto(night.url + path);
    await page.getByText(text).first().waitFor();
  }
  const showLong = (page: Page) => show(page, `/threads/${long}`, `Message ${TURNS}`);
  /** The article with the focus. */
  const focused = (page: Page) =>
    page.evaluate(() => (document.activeElement?.closest("article")?.textContent ?? "").trim());

  /** A key is ignored until the question has been in view for a moment. */
  async function pressUntil(page: Page, key: string, text: string | RegExp): Promise<void> {
    await expect
      .poll(
        async () => {
          await page.keyboard.press(key);
          return page.locator(".detail-pane").getByText(text).count();
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);
  }
  /** One script of the model serves all threads, so that a turn has ended before the next one begins. */
  async function answer(page: Page, cmd: string, press: () => Promise<void>, verdict: RegExp): Promise<void> {
    const threadId = await askAbout(night, client, cmd);
    await show(page, await pathOfQuestion(threadId), "Answers are recorded");
    const ended = client.next({ method: "turn/completed", params: { threadId } });
    if (!verdict.test("Cancelled")) night.model.extend([messageReply("Done", { id: cmd })]);
    await press();
    await page.locator(".detail-pane").getByText(verdict).first().waitFor();
    await ended;
  }
  const answers = (key: string, cmd: string, verdict: RegExp) => (page: Page) =>
    answer(page, cmd, () => pressUntil(page, key, verdict), verdict);

  const DO: { readonly [Name in KeyName]: (page: Page) => Promise<void> } = {
    async palette(page) {
      await show(page, "/inbox", "Nothing waits for you");
      await page.keyboard.press("Control+k");
      await page.getByRole("listbox").waitFor();
    },
    async help(page) {
      await show(page, "/queue", "There is no schedule");
      await page.keyboard.press("?");
      const help = page.getByRole("dialog", { name: "All keys" });
      await help.waitFor();
      const views = 7;
      expect(await help.locator("dt").count()).toBe(Object.keys(DO).length + views);
      expect(await help.locator("dd").allInnerTexts()).toEqual(
        expect.arrayContaining(["Previous turn", "Copy the link of the item", "Policy and decisions"]),
      );
    },
    async next(page) {
      const [first, second] = [await ask("touch one"), await ask("touch two")];
      await show(page, first, "touch one");
      await page.keyboard.press("j");
      await expect.poll(() => at(page)).toBe(second);
    },
    async previous(page) {
      await show(page, await questionAt(1), "touch two");
      await page.keyboard.press("k");
      await expect.poll(() => at(page)).toBe(await questionAt(0));
    },
    async open(page) {
      await show(page, "/inbox", "touch one");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Run this command?" }).waitFor();
      await page.keyboard.press("Enter");
      await page.locator("[aria-label=Question]:focus").waitFor();
    },
    async back(page) {
      await show(page, await questionAt(0), "Why am I asked?");
      await page.keyboard.press("Escape");
      await expect.poll(() => at(page)).toBe("/inbox");
      await show(page, "/threads?q=Mess", "Message 1");
      await page.getByLabel("Search threads").focus();
      await page.keyboard.press("Escape");
      expect(await page.locator("input:focus").count()).toBe(0);
    },
    async list(page) {
      await showLong(page);
      await page.keyboard.press("u");
      await expect.poll(() => at(page)).toBe("/threads");
    },
    async search(page) {
      await show(page, "/threads", "Message 1");
      await page.keyboard.press("/");
      await page.getByLabel("Search threads").and(page.locator(":focus")).waitFor();
    },
    allowOnce: answers("a", "touch allowed", /^Allowed/u),
    allowInThread: answers("s", PATCH, /^Allowed/u),
    async allowAlways(page) {
      async function pressTwice(): Promise<void> {
        await pressUntil(page, "r", "Press again to confirm");
        await page.keyboard.press("r");
      }
      await answer(page, "touch always-allowed", pressTwice, /^Allowed/u);
      const rules = join(night.home.home, "rules", "default.rules");
      await expect.poll(() => existsSync(rules) && readFileSync(rules, "utf8")).toContain("touch");
    },
    decline: answers("d", "touch declined", /^Declined/u),
    declineAndStop: answers("x", "touch stopped", /^Cancelled/u),
    async openThread(page) {
      await show(page, await questionAt(0), "Why am I asked?");
      await page.keyboard.press("o");
      await expect.poll(() => at(page)).toMatch(/^\/threads\//u);
    },
    async find(page) {
      await showLong(page);
      await page.keyboard.press("Control+f");
      await page.getByLabel("Find in this thread").and(page.locator(":focus")).waitFor();
      await page.keyboard.insertText("Answer 20");
      await page.keyboard.press("Enter");
      await page.getByText("1 of 1").waitFor();
    },
    async previousTurn(page) {
      await showLong(page);
      await page.keyboard.press("End");
      // The oldest turns are on a page that was not read yet.
      for (let turn = 0; turn < TURNS + 2; turn += 1) {
        await page.keyboard.press("[");
        if (turn === 0) await expect.poll(() => focused(page)).toContain("Turn");
      }
      await expect
        .poll(async () => {
          await page.keyboard.press("[");
          return focused(page);
        })
        .toMatch(/^Turn 1 /u);
    },
    async nextTurn(page) {
      await showLong(page);
      await page.keyboard.press("End");
      await page.keyboard.press("[");
      await page.keyboard.press("[");
      await expect.poll(() => focused(page)).toContain("Turn");
      const before = await page.evaluate(() => document.activeElement?.id);
      await page.keyboard.press("]");
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).not.toBe(before);
    },
    async end(page) {
      await showLong(page);
      const list = page.getByRole("region", { name: "Turns" });
      await list.evaluate((element) => element.scrollTo(0, 0));
      await page.getByText("Message 6", { exact: true }).first().waitFor();
      await page.keyboard.press("End");
      await expect
        .poll(() =>
          list.evaluate(
            ({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight,
          ),
        )
        .toBeLessThan(2);
    },
    async copyLink(page) {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await showLong(page);
      await page.getByText(`Answer ${TURNS}`, { exact: true }).click();
      await page.keyboard.press("c");
      await page.getByText("The link of the item is copied").first().waitFor();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(link).toMatch(new RegExp(`/threads/${long}#item-`, "u"));
      await page.goto("about:blank");
      await page.goto(link);
      await page.locator("article.linked", { hasText: `Answer ${TURNS}` }).waitFor();
    },
    async stop(page) {
      const threadId = await playTurns(night, client, 1);
      await show(page, `/threads/${threadId}`, "Answer 1");
      night.model.extend([unfinishedReply("Working on")]);
      await client.result("turn/start", { threadId, input: [{ type: "text", text: "Go on" }] });
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page
        .getByText(/interrupted/u)
        .first()
        .waitFor();
    },
    async send(page) {
      const threadId = await playTurns(night, client, 1);
      await show(page, `/threads/${threadId}`, "Answer 1");
      night.model.extend([messageReply("Sent and answered", { id: "sent" })]);
      await page.getByRole("textbox", { name: "Message" }).fill("Go on");
      await page.keyboard.press("Enter");
      await page.getByText("Sent and answered").first().waitFor();
    },
    async queue(page) {
      const threadId = await playTurns(night, client, 1);
      await client.result("thread/queue/pause", { threadId });
      await show(page, `/threads/${threadId}`, "Answer 1");
      await page.getByRole("textbox", { name: "Message" }).fill("Later");
      await page.keyboard.press("Alt+Enter");
      await page.getByText("1 queued").first().waitFor();
    },
    async newLine(page) {
      await showLong(page);
      const field = page.getByRole("textbox", { name: "Message" });
      await field.fill("One");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.insertText("Two");
      expect(await field.inputValue()).toBe("One\nTwo");
    },
    moveUp: (page) => moveQueued(page, 2, "Alt+ArrowUp"),
    moveDown: (page) => moveQueued(page, 1, "Alt+ArrowDown"),
  };

  async function questionAt(index: number): Promise<string> {
    const { data } = (await client.result("approval/list", { status: "open" })) as {
      data: { id: string; command: string; requestedAt: number }[];
    };
    const wanted = ["touch one", "touch two"][index] ?? "";
    return `/inbox/${data.find(({ command }) => command.includes(wanted))?.id ?? ""}`;
  }

  async function moveQueued(page: Page, place: number, key: string): Promise<void> {
    const threadId = await playTurns(night, client, 1);
    await client.result("thread/queue/pause", { threadId });
    for (const text of ["First", "Second"])
      await client.result("thread/queue/add", {
        threadId,
        clientUserMessageId: `${threadId} ${text}`,
        input: [{ type: "text", text }],
      });
    await show(page, "/queue", "Second");
    const card = page.locator(".card", { has: page.locator(`a[href="/threads/${threadId}"]`) });
    await card.getByRole("button", { name: `place ${place}` }).press(key);
    await expect
      .poll(() => card.locator("tbody tr td:nth-child(3)").allInnerTexts())
      .toEqual(["Second", "First"]);
  }

  // In the order of the table, so that one server does for all of them.
  test.each(Object.entries(DO))("%s", async (_name, act) => {
    const { page, faults, close } = await browser().open(`${night.url}/inbox`);
    try {
      await act(page);
      expect(faults).toEqual([]);
    } finally {
      await close();
    }
  });

  test("the link of an item of an older page opens it and marks it", async () => {
    const { data } = (await client.result("thread/turns/list", {
      threadId: long,
      limit: 1,
      sortDirection: "asc",
      itemsView: "full",
    })) as { data: { items: { id: string }[] }[] };
    const first = data[0]?.items.at(-1)?.id ?? "";
    const { page, close } = await browser().open(`${night.url}/threads/${long}#item-${first}`);
    await page.locator("article.linked:focus", { hasText: "Answer 1" }).waitFor();
    expect(await page.getByText("Answer 1", { exact: true }).isVisible()).toBe(true);
    await page.goto(`${night.url}/threads/${long}#item-nothing`);
    await page.reload();
    await page.locator(".notice", { hasText: "not in the thread any more" }).waitFor();
    await close();
  });

  test("a thread is taken back to the state before a turn, when it was confirmed", async () => {
    const threadId = await playTurns(night, client, 3);
    const { page, close } = await browser().open(`${night.url}/threads/${threadId}`);
    await page.getByText("Answer 3").first().waitFor();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Revert…" }).click();
    await page.getByLabel("To the state before").selectOption({ index: 1 });
    await page.getByText("Files stay as they are").waitFor();
    await page.getByRole("button", { name: "Take back 2 turns" }).click();
    await page.getByText("Answer 3").waitFor({ state: "detached" });
    expect(await page.getByText(/^Answer \d$/u).allInnerTexts()).toEqual(["Answer 1"]);
    await close();
  });
});

/** A thread with turns of a message and its answer. */
async function playTurns(night: Night, client: RpcClient, count: number): Promise<string> {
  const { thread } = (await client.result("thread/start", { cwd: night.home.workspace })) as {
    thread: { id: string };
  };
  for (let turn = 1; turn <= count; turn += 1) {
    night.model.extend([messageReply(`Answer ${turn}`, { id: `m${turn}` })]);
    await client.result("turn/start", {
      threadId: thread.id,
      input: [{ type: "text", text: `Message ${turn}` }],
    });
    await client.next({ method: "turn/completed", params: { threadId: thread.id } });
  }
  return thread.id;
}
