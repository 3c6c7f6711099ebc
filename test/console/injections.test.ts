/** What models, commands and repositories print is never HTML: hostile texts at every place where text is shown. */
import { expect, test } from "vitest";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { CORPUS, MARK, PAYLOADS } from "./injection-corpus.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { openNight, reasoning } from "./night.ts";

/** Elements that the page never has, wherever their text came from. */
const FORBIDDEN =
  "script:not([src^='/assets/']), iframe, object, embed, base, link[href*='evil'], meta[http-equiv], [onerror], [onload], [onfocus], a[href^='javascript'], a[href^='data'], math";

describeInBrowser("hostile texts", (browser) => {
  test(`${CORPUS.length} injections stay text, and ask no other host`, async () => {
    expect(CORPUS.length).toBeGreaterThanOrEqual(200);
    const night = await openNight();
    try {
      const client = await night.connect();
      const all = CORPUS.join("\n\n");
      const quoted = `cat <<'EOF'\n${all.slice(0, 20_000)}\nEOF`;
      night.model.extend([
        reply(
          "1",
          reasoning("r1", all),
          functionCallDone("c1", "exec_command", { cmd: quoted, login: false }),
        ),
        messageReply(all, { id: "2" }),
      ]);
      const { thread } = (await client.result("thread/start", {
        sandbox: "danger-full-access",
        cwd: night.home.workspace,
      })) as { thread: { id: string } };
      await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: all }] });
      await client.next({ method: "turn/completed", params: { threadId: thread.id } }, 30_000);
      await client.result("thread/name/set", { threadId: thread.id, name: PAYLOADS[0] ?? "" });

      const { page, close } = await browser().open(`${night.url}/threads`);
      const hosts = new Set<string>();
      page.on("request", (request) => hosts.add(new URL(request.url()).host));
      const dialogs: string[] = [];
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await page.exposeFunction(MARK, () => dialogs.push("hit"));
      await page.goto(`${night.url}/threads/${thread.id}`);
      await page.locator(".md").first().waitFor();
      // Every part of the thread is drawn once.
      const region = page.getByRole("region", { name: "Turns" });
      for (let step = 0; step <= 60; step += 1) {
        await region.evaluate((element, share) => {
          element.scrollTop = element.scrollHeight * share;
        }, step / 60);
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
        expect(await page.locator(FORBIDDEN).count()).toBe(0);
      }
      expect(dialogs).toEqual([]);
      expect([...hosts]).toEqual([new URL(night.url).host]);
      await close();
    } finally {
      await night.close();
    }
  });
});
