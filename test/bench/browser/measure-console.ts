/** How the lines about the console in a browser are measured, once: first paint, the inbox, a long thread, the composer. */
import { functionCallDone, reply } from "../../support/model-events.ts";
import { openScriptedModel } from "../../support/scripted-model.ts";
import { type Bench, UNUSED_MODEL } from "../bench.ts";
import type { LineId } from "../lines.ts";
import { makeLongThread } from "../make-rollouts.ts";
import { median } from "../median.ts";
import { startThread } from "../threads.ts";
import { type ConsoleBench, openProbedPage, probe, withConsole } from "./open-console.ts";
import { openPacedModel } from "./paced-model.ts";

type ConsoleLine = Extract<
  LineId,
  | "browser-paint"
  | "browser-inbox"
  | "browser-thread"
  | "browser-scroll"
  | "browser-elements"
  | `browser-input${string}`
>;

const CONTEXTS = 7;
const QUESTIONS = 5;
/** Two items each. */
const TURNS = 5_000;
const LONG = { turns: TURNS, itemBytes: 400 };
const STREAM = { deltasPerSecond: 1_000, seconds: 8 };
const KEYS = 100;
const KEY_INTERVAL_MS = 50;
/** A key is typed when the stream has begun. */
const BEGUN = "retry budget";

export const CONSOLE_MEASURES: Readonly<Record<ConsoleLine, (bench: Bench) => Promise<number>>> = {
  "browser-paint": (bench) => withQuestions(bench, (own) => medianOfContexts(own, "firstPaint")),
  "browser-inbox": (bench) => withQuestions(bench, (own) => medianOfContexts(own, "firstKey")),
  "browser-thread": (bench) =>
    withLongThread(bench, async (own, threadId) => {
      const found: number[] = [];
      for (let at = 0; at < CONTEXTS; at += 1) {
        const { page, close } = await openProbedPage(own, "/threads");
        found.push(await probe<number>(page, "openThread", threadId, newestOf(LONG)));
        await close();
      }
      return median(found);
    }),
  "browser-scroll": (bench) =>
    withLongThread(bench, async (own, threadId) => Math.max(...(await scrollThrough(own, threadId)).gaps)),
  "browser-elements": (bench) =>
    withLongThread(bench, async (own, threadId) => (await scrollThrough(own, threadId)).elements),
  "browser-input": async (bench) => Math.max(...(await keyLatencies(bench))),
  "browser-input-p95": async (bench) => {
    const sorted = (await keyLatencies(bench)).toSorted((one, other) => one - other);
    return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
  },
};

const newestOf = ({ turns }: typeof LONG): string => `Message ${turns - 1}`;

/** A server whose inbox has questions of as many threads. */
async function withQuestions<T>(bench: Bench, measure: (own: ConsoleBench) => Promise<T>): Promise<T> {
  const model = await openScriptedModel([
    reply("q", functionCallDone("c", "exec_command", { cmd: "touch made", login: false })),
  ]);
  try {
    return await withConsole(bench, { modelUrl: model.url }, async (own) => {
      for (let at = 0; at < QUESTIONS; at += 1) {
        const threadId = await startThread(own.client, {
          approvalPolicy: "untrusted",
          sandbox: "danger-full-access",
        });
        await own.client.result("turn/start", { threadId, input: [{ type: "text", text: "Make it" }] });
        await own.client.next({ method: "item/commandExecution/requestApproval", params: { threadId } });
      }
      return measure(own);
    });
  } finally {
    await model.close();
  }
}

async function medianOfContexts(own: ConsoleBench, name: string): Promise<number> {
  const found: number[] = [];
  for (let at = 0; at < CONTEXTS; at += 1) {
    const { page, close } = await openProbedPage(own, "/inbox");
    found.push(await probe<number>(page, name));
    await close();
  }
  return median(found);
}

function withLongThread<T>(
  bench: Bench,
  measure: (own: ConsoleBench, threadId: string) => Promise<T>,
): Promise<T> {
  let threadId = "";
  const prepare = ({ home }: { readonly home: string }): void => {
    threadId = makeLongThread(home, LONG);
  };
  return withConsole(bench, { modelUrl: UNUSED_MODEL, prepare }, (own) => measure(own, threadId));
}

async function scrollThrough(own: ConsoleBench, threadId: string) {
  const { page, close } = await openProbedPage(own, "/threads");
  await probe(page, "openThread", threadId, newestOf(LONG));
  const found = await probe<{ readonly gaps: number[]; readonly elements: number }>(
    page,
    "scrollThrough",
    "Message 0",
    newestOf(LONG),
  );
  await close();
  return found;
}

/** From each key in the composer to the frame after it, while an answer streams into the thread. */
async function keyLatencies(bench: Bench): Promise<readonly number[]> {
  const model = await openPacedModel(STREAM);
  try {
    return await withConsole(bench, { modelUrl: model.url }, async (own) => {
      const threadId = await startThread(own.client);
      const { page, close } = await openProbedPage(own, `/threads/${threadId}`);
      const field = page.getByRole("textbox", { name: "Message" });
      await field.waitFor();
      await own.client.result("turn/start", { threadId, input: [{ type: "text", text: "Go on" }] });
      await probe(page, "untilShown", BEGUN);
      await probe(page, "watchKeys");
      await field.pressSequentially("word ".repeat(KEYS / 5), { delay: KEY_INTERVAL_MS });
      const found = await page.evaluate<number[]>("heddleProbe.keyLatencies");
      await close();
      return found;
    });
  } finally {
    await model.close();
  }
}
