/** A page of a thread that has no history yet. */
import { expect, test } from "vitest";
import { messageReply } from "../support/model-events.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { openNight } from "./night.ts";

describeInBrowser("a thread that is open before its first message", (browser) => {
  test("shows its first turn", async () => {
    const night = await openNight();
    try {
      const client = await night.connect();
      const { thread } = (await client.result("thread/start", { cwd: night.home.workspace })) as {
        thread: { id: string };
      };
      const { page, faults, close } = await browser().open(`${night.url}/threads/${thread.id}`);
      await page.getByText("before first user message").first().waitFor();
      night.model.extend([messageReply("The first answer")]);
      await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Begin" }] });
      await page.getByRole("region", { name: "Turns" }).getByText("The first answer").waitFor();
      expect(await page.getByText("before first user message").count()).toBe(0);
      expect(faults).toEqual([]);
      await close();
    } finally {
      await night.close();
    }
  });
});
