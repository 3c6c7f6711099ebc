/** The HTML export of a thread: complete, without a program, without a secret, and readable wherever it is opened. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ELEMENTS } from "../../src/console/export/page-elements.fixture.ts";
import { callHeddle } from "../support/call-heddle.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { PHONE } from "./browser.ts";
import { CORPUS, PAYLOADS } from "./injection-corpus.ts";
import { overflowOf, violationsOf } from "./inspect-page.ts";
import { describeInBrowser } from "./needs-browser.ts";
import { askAbout, type Night, openNight, playThread, reasoning } from "./night.ts";

const SHOTS = join(process.cwd(), ".cache", "console");
mkdirSync(SHOTS, { recursive: true });

const FORMS = { dark: {}, light: { colorScheme: "light" }, phone: PHONE } as const;

let night: Night;
beforeEach(async () => {
  night = await openNight();
});
afterEach(() => night.close());

/** The path of the file, and what is in it. */
async function exportThread(id: string, env: Record<string, string> = {}) {
  const file = join(night.home.workspace, `${id}.html`);
  const { code, stdout, stderr } = await callHeddle(
    night.home,
    ["threads", "export", id, "--html", "-o", file],
    { env },
  );
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
  return { url: pathToFileURL(file).href, html: readFileSync(file, "utf8") };
}

async function startThread(...replies: Parameters<Night["model"]["extend"]>[0]): Promise<string> {
  night.model.extend(replies);
  const client = await night.connect();
  const params = { sandbox: "danger-full-access", cwd: night.home.workspace };
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

async function runTurn(threadId: string, text: string): Promise<void> {
  const client = await night.connect();
  await client.result("thread/resume", { threadId });
  await client.result("turn/start", { threadId, input: [{ type: "text", text }] });
  await client.next({ method: "turn/completed", params: { threadId } }, 30_000);
}

const tagsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...new Set([...document.querySelectorAll("*")].map(({ localName }) => localName))]);

describeInBrowser("the HTML export of a thread", (browser) => {
  test.each(Object.entries(FORMS))("shows all of it: %s", async (name, form) => {
    const client = await night.connect();
    const id = await playThread(night, client, "The fallback should share one retry budget.");
    const { url } = await exportThread(id);
    const { page, faults, close } = await browser().open(url, form);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.reload();
    await page.screenshot({ path: join(SHOTS, `export-${name}.png`), fullPage: true });
    const text = await page.locator("body").innerText();
    for (const part of [
      "The fallback should share one retry budget.",
      "One test still fails",
      "never falls back on 401",
      "exit 1",
      "for (let attempt = 0; budget.take(); attempt++) {",
      "(example.com)",
      "tokens (",
    ])
      expect(text).toContain(part);
    expect(await page.locator(".code .k").count()).toBeGreaterThan(0);
    expect(await page.locator(".out .a-g").count()).toBeGreaterThan(0);
    expect(await page.locator(".diff .add").count()).toBeGreaterThan(0);
    expect(await page.locator("details[open]").count()).toBe(0);
    const style = await page.evaluate(() => getComputedStyle(document.body).fontSize);
    expect({ style: style !== "16px" || name === "phone", requests }).toEqual({
      style: true,
      requests: [url],
    });
    expect({ violations: await violationsOf(page), overflow: await overflowOf(page) }).toEqual({
      violations: [],
      overflow: 0,
    });
    expect(faults).toEqual([]);
    await close();
  });

  test(`${CORPUS.length} injections stay text, with other elements nowhere and ids once`, async () => {
    const all = CORPUS.join("\n\n");
    const cmd = `cat <<'EOF'\n${all.slice(0, 20_000)}\nEOF`;
    const id = await startThread(
      reply("1", reasoning("r1", all), functionCallDone("c1", "exec_command", { cmd, login: false })),
      messageReply(all, { id: "2" }),
    );
    await runTurn(id, all);
    const client = await night.connect();
    await client.result("thread/name/set", { threadId: id, name: PAYLOADS[0] ?? "" });
    const { url, html } = await exportThread(id);
    expect(html).not.toMatch(/<script/iu);
    const { page, close } = await browser().open(url);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.reload();
    expect((await tagsOf(page)).filter((tag) => !ELEMENTS.has(tag))).toEqual([]);
    const found = await page.evaluate(() => {
      const elements = [...document.querySelectorAll("*")];
      const names = elements.flatMap((element) => element.getAttributeNames());
      const ids = elements.flatMap(({ id }) => (id === "" ? [] : [id]));
      return {
        handlers: names.filter((name) => name.startsWith("on") || name === "style"),
        schemes: [...new Set([...document.links].map(({ protocol }) => protocol))],
        rels: [...new Set([...document.links].map(({ rel }) => rel))],
        twice: ids.filter((id, at) => ids.indexOf(id) !== at),
      };
    });
    expect(found).toEqual({
      handlers: [],
      schemes: ["https:"],
      rels: ["noopener noreferrer"],
      twice: [],
    });
    expect(requests).toEqual([url]);
    await close();
  });

  test("questions are open in it, and secrets and the home folder are not", async () => {
    const client = await night.connect();
    const secret = "sk-abcdefghijklmnopqrstuvwxyz";
    const id = await askAbout(
      night,
      client,
      `echo ${secret} > ${night.home.user}/made`,
      `Use ${secret} and corporate-word`,
    );
    const { html } = await exportThread(id, { CORP_TOKEN: "corporate-word" });
    const [, body = ""] = html.split("<body>");
    const shown = ["open question", "[REDACTED_SECRET] > ~/made"];
    expect(shown.filter((part) => !body.includes(part))).toEqual([]);
    const hidden = [secret, "corporate-word", night.home.user];
    expect(hidden.filter((part) => html.includes(part))).toEqual([]);
  });
});
