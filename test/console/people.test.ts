/** Two people on one server: each page shows who sent, trusted and changed something. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messageReply } from "../support/model-events.ts";
import { PHONE } from "./browser.ts";
import { type FactsStage, openFactsStage } from "./facts-stage.ts";
import { overflowOf, violationsOf } from "./inspect-page.ts";
import { describeInBrowser } from "./needs-browser.ts";

const SHOTS = join(process.cwd(), ".cache", "console");
mkdirSync(SHOTS, { recursive: true });

const FORMS = { dark: {}, light: { colorScheme: "light" }, phone: PHONE } as const;
const ALL = ["read", "answer", "operate", "admin"];

describeInBrowser("two people", (browser) => {
  let stage: FactsStage;
  beforeAll(async () => {
    stage = await openFactsStage();
  });
  afterAll(() => stage?.close());

  async function openAs(subject: string, form = {}) {
    const wanted = { name: `laptop of ${subject}`, subject, scopes: ALL };
    const made = (await stage.client.result("device/pair", wanted)) as { path: string };
    const opened = await browser().open(stage.url + made.path, form);
    await opened.page.getByText(subject, { exact: false }).first().waitFor();
    const show = async (path: string): Promise<Page> => {
      await opened.page.goto(stage.url + path);
      return opened.page;
    };
    return { ...opened, show };
  }

  test("see who sent a message, changed a queue and trusted a hook", async () => {
    const [ana, ben] = [await openAs("ana"), await openAs("ben")];
    try {
      const thread = `/threads/${stage.paused}`;
      stage.model.extend([messageReply("It is done.", { id: "people" })]);
      const [own, other] = [await ana.show(thread), await ben.show(thread)];
      await own.getByRole("textbox", { name: "Message" }).fill("Write the changelog");
      await own.getByRole("button", { name: "Send" }).click();
      for (const page of [own, other])
        await page.locator("article", { hasText: "Write the changelog" }).getByText("ana").waitFor();

      const cardOf = (page: Page) => page.locator(".card", { hasText: "Release it" }).first();
      const queue = cardOf(await ben.show("/queue"));
      await queue.getByText("The running turn waits for an answer").waitFor();
      await cardOf(await ana.show("/queue"))
        .getByRole("button", { name: "Pause" })
        .click();
      await queue.getByText("ana paused the queue").waitFor();

      const hooks = await ana.show("/hooks");
      await hooks.getByText("guard", { exact: false }).first().click();
      await hooks.getByRole("button", { name: "Trust this version" }).click();
      await hooks.getByRole("button", { name: "Yes, trust what is shown" }).click();
      await hooks.getByText("ana trusted a hook").waitFor();

      const changes = await ben.show("/decisions?section=changes");
      const lines = changes.locator("tbody tr");
      await expect.poll(() => lines.allInnerTexts().then((texts) => texts.length)).toBeGreaterThan(1);
      await changes.getByText("trusted a hook").waitFor();
      await changes.getByText("paused the queue").waitFor();
      await changes.getByRole("searchbox", { name: "Search changes" }).fill("hooks.state");
      await expect.poll(() => lines.count()).toBe(1);
      expect([ana.faults, ben.faults]).toEqual([[], []]);
    } finally {
      await ana.close();
      await ben.close();
    }
  });

  test.each(Object.entries(FORMS))("the log of changes can be read by everybody: %s", async (name, form) => {
    const { page, close } = await browser().open(`${stage.url}/decisions?section=changes`, form);
    await page.getByText("paused the queue").waitFor();
    await page.screenshot({ path: join(SHOTS, `decisions-section-changes-${name}.png`) });
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    await close();
  });
});
