/** A page with fewer scopes shows every control, switches off those that it has no right to, and says what is missing. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestRows } from "../../src/protocol/generated/table.ts";
import type { OpenPage } from "./browser.ts";
import { type FactsStage, openFactsStage } from "./facts-stage.ts";
import { violationsOf } from "./inspect-page.ts";
import { describeInBrowser } from "./needs-browser.ts";

interface Control {
  readonly name: string;
  readonly isOff: boolean;
  /** From its description. */
  readonly missing: string | null;
}

interface View {
  readonly path: string;
  /** Shown when everything is there. */
  readonly text: string | RegExp;
  readonly open?: (page: Page) => Promise<void>;
}

const SETS = [["read"], ["read", "answer"], ["read", "answer", "operate"]] as const;
/** Facts that only administrators are sent have their controls in their own rows. */
const OF_ADMIN_ROWS = /^BUTTON Revoke/u;

describeInBrowser("the scopes of a page", (browser) => {
  let stage: FactsStage;
  let views: readonly View[];
  beforeAll(async () => {
    stage = await openFactsStage();
    const { data } = (await stage.client.result("approval/list", {})) as { data: { id: string }[] };
    const { data: hooks } = (await stage.client.result("hooks/list", {})) as {
      data: { hooks: { key: string }[] }[];
    };
    const thread = `/threads/${stage.asking}`;
    views = [
      { path: "/inbox", text: "npm publish" },
      { path: `/inbox/${data[0]?.id ?? ""}`, text: "Why am I asked?" },
      { path: "/threads", text: "The fallback should share" },
      { path: thread, text: "More answers…" },
      {
        path: thread,
        text: "More answers…",
        open: (page) => page.getByRole("button", { name: "More actions" }).click(),
      },
      { path: thread, text: "More answers…", open: openPalette },
      { path: "/queue", text: "triage" },
      { path: `/hooks/${encodeURIComponent(hooks[0]?.hooks[0]?.key ?? "")}`, text: "Run the test" },
      { path: "/decisions", text: "npm publish --access public" },
      { path: "/decisions?section=rules", text: "A release is public" },
      { path: "/usage", text: "mock-model" },
      { path: "/server", text: "Connections" },
    ];
  });
  afterAll(() => stage?.close());

  async function openPaired(scopes: readonly string[]): Promise<OpenPage> {
    const made = (await stage.client.result("device/pair", { name: scopes.join(), scopes })) as {
      path: string;
    };
    const opened = await browser().open(stage.url + made.path);
    await opened.page.getByText(scopes.join(", "), { exact: false }).first().waitFor();
    return opened;
  }

  async function controlsOf(page: Page, { path, text, open }: View): Promise<readonly Control[]> {
    await page.goto(stage.url + path);
    await page.getByText(text).first().waitFor();
    await open?.(page);
    return page.evaluate(readControls);
  }

  test("every control says which scope it lacks, and is there with every set of scopes", async () => {
    const owner = await browser().open(stage.url);
    const all: (readonly Control[])[] = [];
    for (const view of views) all.push(await controlsOf(owner.page, view));
    await owner.close();
    const needed = new Map<string, string>();
    const faults: string[] = [];
    for (const scopes of SETS) {
      const { page, close } = await openPaired(scopes);
      for (const [at, view] of views.entries()) {
        const shown = await controlsOf(page, view);
        for (const control of all[at] ?? []) {
          const id = `${view.path} ${control.name}`;
          const found = shown.find(({ name }) => name === control.name);
          if (found?.missing != null && !needed.has(id)) needed.set(id, found.missing);
          const fault = faultOf(found, control, scopes, needed.get(id) ?? null);
          if (fault !== null) faults.push(`${id} with ${scopes.join()}: ${fault}`);
        }
      }
      await page.goto(`${stage.url}/queue`);
      await page.getByText("triage").first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await close();
    }
    expect(faults).toEqual([]);
    expect(new Set(needed.values())).toEqual(new Set(["answer", "operate", "admin"]));
  });

  test("with the scope read nothing that is pressed asks for more", async () => {
    const asked = new Set<string>();
    const { page, close } = await openPaired(["read"]);
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        const { method } = JSON.parse(String(payload)) as { method?: string };
        if (method !== undefined) asked.add(method);
      }),
    );
    for (const view of views) {
      await controlsOf(page, view);
      await page.evaluate(pressAll);
      await page.goto(stage.url + view.path);
      await page.getByText(view.text).first().waitFor();
      for (const key of ["a", "s", "r", "d", "x", "Escape", "Escape", "Alt+ArrowDown"])
        await page.keyboard.press(key);
    }
    const rows: Readonly<Record<string, { readonly scope: string }>> = requestRows;
    const beyond = [...asked].filter((method) => rows[method] !== undefined && rows[method].scope !== "read");
    expect(beyond).toEqual([]);
    expect(asked).toContain("queue/list");
    await close();
  });

  test("a key that has no right to act says why", async () => {
    const { page, close } = await openPaired(["read"]);
    const question = views[1];
    if (question === undefined) throw new Error("no question");
    await controlsOf(page, question);
    // Keys do nothing until the question has been in view for a moment.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return page.locator(".notice").allInnerTexts();
      })
      .toEqual([expect.stringContaining("Needs the scope answer")]);
    await page.goto(`${stage.url}/threads/${stage.asking}`);
    await page.getByText("More answers…").waitFor();
    const field = page.getByRole("textbox", { name: "Message" });
    expect(await field.isDisabled()).toBe(true);
    expect(await field.getAttribute("placeholder")).toContain("Needs the scope operate");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText("Needs the scope operate").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.locator(".palette input").fill("New thread");
    await page.keyboard.press("Enter");
    await page.locator(".notice", { hasText: "Needs the scope operate" }).waitFor();
    await close();
  });
});

/** `needed`: the scope that the control has named before. */
function faultOf(
  found: Control | undefined,
  { name, isOff }: Control,
  scopes: readonly string[],
  needed: string | null,
): string | null {
  if (found === undefined) return OF_ADMIN_ROWS.test(name) ? null : "it is not shown";
  const { missing } = found;
  if (missing !== (needed !== null && !scopes.includes(needed) ? needed : null)) return `it names ${missing}`;
  if (missing !== null && !found.isOff) return "it can be used";
  if (missing === null && found.isOff && !isOff) return "it is off without a reason";
  return null;
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("listbox").waitFor();
}

/** Runs in the page. */
function readControls(): Control[] {
  const selector = "main :is(button, select, input, textarea), dialog :is([role=option], input)";
  const counts = new Map<string, number>();
  return Array.from(document.querySelectorAll<HTMLElement>(selector)).map((element) => {
    const label = element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? "";
    const text = (element.querySelector("bdi") ?? element).textContent ?? "";
    const name = `${element.tagName} ${label === "" ? text.trim() : label}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const why = element.closest("[title]")?.getAttribute("title") ?? "";
    return {
      name: `${name} ${count}`,
      isOff: element.matches(":disabled, [aria-disabled=true]"),
      missing: /Needs the scope (\w+)/u.exec(why)?.[1] ?? null,
    };
  });
}

/** Runs in the page: each twice, as some ask once more. */
async function pressAll(): Promise<void> {
  for (const button of document.querySelectorAll<HTMLElement>("button, [role=option], [role=menuitem]"))
    for (let time = 0; time < 2; time += 1) {
      button.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
}
