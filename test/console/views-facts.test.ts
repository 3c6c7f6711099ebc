/** Queue, hooks, decisions, usage and server in a real browser: what they show, and that their actions reach the server. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PHONE } from "./browser.ts";
import { type FactsStage, GUARD, openFactsStage } from "./facts-stage.ts";
import { overflowOf, violationsOf } from "./inspect-page.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { playThread } from "./night.ts";

/** Kept as build output, for people to look at. */
const SHOTS = join(process.cwd(), ".cache", "console");
mkdirSync(SHOTS, { recursive: true });

const FORMS = { dark: {}, light: { colorScheme: "light" }, phone: PHONE } as const;
/** Each view with something that only the server can have said. */
const VIEWS: readonly (readonly [path: string, text: string])[] = [
  ["/queue", "Announce it in the channel of the releases"],
  ["/hooks", "Tells the desk"],
  ["/decisions", "npm publish --access public"],
  ["/decisions?section=rules", "A release is public"],
  ["/usage?range=7d", "mock-model"],
  ["/server", "pixel-9"],
];

describeInBrowser("the views of facts", (browser) => {
  let stage: FactsStage;
  beforeAll(async () => {
    stage = await openFactsStage();
  });
  afterAll(() => stage?.close());

  async function show(path: string, body: (page: Page) => Promise<void>, form = {}): Promise<void> {
    const { page, faults, close } = await browser().open(stage.url + path, form);
    try {
      await body(page);
      expect(faults).toEqual([]);
    } finally {
      await close();
    }
  }

  test.each(
    Object.entries(FORMS).flatMap(([name, form]) =>
      VIEWS.map((view) => [view[0], name, view[1], form] as const),
    ),
  )("%s can be read by everybody: %s", async (path, name, text, form) => {
    await show(
      path,
      async (page) => {
        await page.getByText(text).first().waitFor();
        const view = path.replaceAll(/\W+/gu, "-").slice(1);
        await page.screenshot({ path: join(SHOTS, `${view}-${name}.png`) });
        expect(await violationsOf(page)).toEqual([]);
        expect(await overflowOf(page)).toBe(0);
      },
      form,
    );
  });

  test("a queue says why it waits, and is continued, paused and put in another order", async () => {
    await show("/queue", async (page) => {
      const card = page.locator(".card", { hasText: "retry budget" }).first();
      await card.getByText("Paused: wait for the release window").waitFor();
      await page.getByText("The running turn waits for an answer").waitFor();
      const turns = () => card.locator("tbody tr td:nth-child(3)").allInnerTexts();
      const order = async () => {
        const { data } = (await stage.client.result("thread/queue/list", { threadId: stage.paused })) as {
          data: { clientUserMessageId: string }[];
        };
        return data.map(({ clientUserMessageId }) => clientUserMessageId);
      };
      const [first, second] = ["Tag and push", "Announce it in the channel of the releases"];
      expect(await turns()).toEqual([first, second]);
      await card.getByRole("button", { name: `Move “${first}”, place 1` }).press("Alt+ArrowDown");
      await expect.poll(order).toEqual([second, first]);
      expect(await turns()).toEqual([second, first]);
      const handle = card.getByRole("button", { name: `Move “${first}”, place 2` });
      expect(await handle.evaluate((element) => element === document.activeElement)).toBe(true);
      await card.getByRole("button", { name: "Move up" }).nth(1).click();
      await expect.poll(order).toEqual([first, second]);
      await dragBy(page, card.getByRole("button", { name: `Move “${first}”` }), 44);
      await expect.poll(order).toEqual([second, first]);
      const other = page.locator(".card", { hasText: "Release it" }).first();
      await other.getByRole("button", { name: "Pause" }).click();
      await other.getByRole("button", { name: "Resume" }).waitFor();
      await other.getByRole("button", { name: "Resume" }).click();
      await other.getByRole("button", { name: "Pause" }).waitFor();
    });
  });

  test("a turn that could not start is tried again, and removed", async () => {
    await show("/queue", async (page) => {
      const card = page.locator(".card", { hasText: "Nightly dependency bumps" }).first();
      await card.getByText("Blocked by its first turn").waitFor();
      await card.getByText(/Could not start: .*permissions/u).waitFor();
      await card.getByText("waits for the first").waitFor();
      await card.getByRole("button", { name: "Retry" }).click();
      await page
        .getByRole("alert")
        .getByText(/permissions/u)
        .waitFor();
      await card.getByRole("button", { name: "Pause" }).click();
      await card.getByRole("button", { name: "Remove from the queue" }).first().click();
      await card.getByRole("button", { name: "Remove?" }).click();
      await expect.poll(() => card.locator("tbody tr").count()).toBe(1);
    });
  });

  test("a schedule is created, run and paused", async () => {
    await show("/queue", async (page) => {
      await page.getByRole("button", { name: "New schedule" }).click();
      await page.getByLabel("Name", { exact: true }).fill("weekly");
      await page.getByLabel("Message", { exact: true }).fill("Look at the open issues");
      await page.getByLabel("Cron line").fill("0 25 * * *");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("dialog").getByRole("alert").waitFor();
      await page.getByLabel("Cron line").fill("0 18 * * 5");
      await page.getByText("Fridays at 18:00").waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Create" }).click();
      const row = page.getByRole("row", { name: /^weekly/u });
      await row.getByText("Fridays at 18:00").waitFor();
      await row.getByRole("button", { name: "Pause" }).click();
      await row.getByText("paused").waitFor();
      await row.getByRole("button", { name: "Edit weekly" }).click();
      const dialog = page.getByRole("dialog", { name: "Edit the schedule" });
      expect(await dialog.getByLabel("Message").inputValue()).toBe("Look at the open issues");
      await dialog.getByLabel("Cron line").fill("0 7 * * 1");
      await dialog.getByRole("button", { name: "Save" }).click();
      await row.getByText("Mondays at 07:00").waitFor();
      await row.getByText("paused").waitFor();
      const nightly = page.getByRole("row", { name: /^nightly/u });
      await nightly.getByRole("button", { name: "Run now" }).click();
      await nightly.getByText("queued").waitFor();
      // The turn of the run waits in the paused queue, which the page is told of.
      await page.getByText("a schedule").waitFor();
    });
  });

  test("a hook is read, trusted and tested", async () => {
    await show("/hooks", async (page) => {
      await page.getByRole("link", { name: "guard.sh" }).click();
      const [, comment = ""] = GUARD.split("\n");
      await page.getByText(comment).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Run the test" }).click();
      await page.getByText(/It does not run: /u).waitFor();
      const trust = async () => {
        await page.getByRole("button", { name: "Trust this version" }).click();
        await page.getByRole("button", { name: "Yes, trust what is shown" }).click();
      };
      // A script that is exchanged after it was read is not trusted.
      await stage.home.write("home/hooks/guard.sh", GUARD.replace("Refuses", "Sends away"));
      await trust();
      await page
        .getByRole("alert")
        .getByText(/was changed after it was shown/u)
        .waitFor();
      await page.getByText("Sends away pushes").waitFor();
      await stage.home.write("home/hooks/guard.sh", GUARD);
      await trust();
      await page.getByText(comment).waitFor();
      await trust();
      await page.locator(".detail-pane").getByText("trusted", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Run the test" }).click();
      await page.getByText("Force pushes need a person.").first().waitFor();
      // What it does today at a moment of a thread.
      await playThread(stage, stage.client, "Look at the budget");
      await page.reload();
      await page.getByRole("button", { name: "Replay" }).first().click();
      await page.getByText("It decides as it did then.").waitFor();
      await page.getByRole("button", { name: "Take trust back" }).click();
      await page.getByRole("button", { name: "Really? It will not run" }).click();
      await page.locator(".detail-pane").getByText("not trusted", { exact: true }).waitFor();
      await trust();
      await page.locator(".detail-pane").getByText("trusted", { exact: true }).waitFor();
      // The address has the hook and the filters.
      await page.reload();
      await page.getByText(comment).waitFor();
      await page.getByLabel("Trust").selectOption("needed");
      await expect.poll(() => page.locator(".list-pane tbody tr").count()).toBe(1);
      expect(new URL(page.url()).searchParams.get("trust")).toBe("needed");
    });
  });

  test("decisions are filtered by the address", async () => {
    await show("/decisions", async (page) => {
      const rows = page.locator("tbody tr");
      await expect.poll(() => rows.count()).toBeGreaterThan(2);
      await page.getByText(/The rule for “npm publish” asks/u).waitFor();
      await page.getByLabel("Outcome").selectOption("open");
      await expect.poll(() => rows.count()).toBe(1);
      await page.getByLabel("Search decisions").fill("nothing is called so");
      await page.getByText("No decision matches").waitFor();
      await page.getByRole("link", { name: "Show all" }).click();
      await expect.poll(() => rows.count()).toBeGreaterThan(2);
    });
    await show(`/decisions?kind=fileChange&q=BUDGET&thread=${stage.paused}`, async (page) => {
      await page.getByText("src/budget.ts").waitFor();
      expect(await page.locator("tbody tr").count()).toBe(1);
    });
  });

  test("usage has the numbers of the server as bars and as a table", async () => {
    await show("/usage", async (page) => {
      await page.locator(".chart rect").first().waitFor();
      const { total } = (await stage.client.result("usage/summary", {
        from: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
        to: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
      })) as { total: { totalTokens: number; turns: number } };
      expect(total.turns).toBeGreaterThan(0);
      await expect.poll(() => page.locator(".stats b").first().innerText()).toBe(String(total.totalTokens));
      await page.getByText("Show the numbers").click();
      expect(await page.getByRole("table", { name: "Tokens per day" }).locator("tbody tr").count()).toBe(1);
      await page.getByRole("button", { name: "90 d" }).click();
      await page.getByText("Tokens, 90 days").waitFor();
      expect(new URL(page.url()).searchParams.get("range")).toBe("90d");
    });
  });

  test("the doctor looks, a webhook is tested, and a device is paired and revoked", async () => {
    await show("/server", async (page) => {
      await page.getByRole("button", { name: "Run doctor" }).click();
      await page.getByRole("heading", { name: "Doctor" }).waitFor();
      const before = stage.sent.length;
      await page.getByRole("button", { name: "Send a test" }).click();
      await expect.poll(() => stage.sent.length).toBeGreaterThan(before);
      await page.getByRole("button", { name: "Pair a device" }).click();
      await page.getByLabel("Name of the device").fill("tablet");
      await page.getByLabel("Person who uses it").fill("guest");
      await page.getByLabel(/Start and stop turns/u).uncheck();
      await page.getByRole("button", { name: "Make the address" }).click();
      await page.getByRole("img", { name: "QR code of the address" }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const address = await page.getByRole("dialog").locator("code.cmd").innerText();
      await page.getByRole("button", { name: "Done" }).click();
      const tablet = await browser().open(address);
      await tablet.page.getByText(/guest/u).waitFor();
      await tablet.page.goto(`${stage.url}/queue`);
      const pause = tablet.page.getByRole("button", { name: "Pause" }).first();
      await pause.waitFor();
      expect(await pause.isDisabled()).toBe(true);
      expect(await pause.getAttribute("title")).toContain("operate");
      const row = page.getByRole("row", { name: /^tablet/u });
      await row.getByRole("button", { name: "Revoke tablet" }).click();
      await row.getByRole("button", { name: "Really revoke?" }).click();
      await expect.poll(() => row.count()).toBe(0);
      await tablet.page.getByText(/guest/u).waitFor({ state: "detached" });
      await tablet.close();
    });
  });
});

async function dragBy(page: Page, handle: ReturnType<Page["locator"]>, distance: number): Promise<void> {
  const box = await handle.boundingBox();
  if (box === null) throw new Error("the handle is not shown");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + distance, { steps: 4 });
  await page.mouse.up();
}
