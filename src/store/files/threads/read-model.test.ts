import { describe, expect, test } from "vitest";
import { turnLines } from "../../contract/store-harness.fixture.ts";
import type { LineBody } from "../../lines/line.ts";
import { started } from "../../lines/lines.fixture.ts";
import type { ModelHistory } from "../../lines/model-history.ts";
import { compacted, responseItem, threadSettingsApplied, worldState } from "../../lines/thread-lines.ts";
import type { StoreRefusal } from "../../refusal.ts";
import type { OpenedThread } from "../../thread-store.ts";
import type { FileThreadStore } from "./file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, sqliteIndex } from "./history.fixture.ts";

function message(text: string) {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

const said = (text: string): LineBody => responseItem(message(text));

function compaction(number: number, ...texts: readonly string[]): LineBody {
  return compacted({
    message: "summary",
    replacementHistory: texts.map(message),
    windowNumber: number,
    firstWindowId: "w0",
    previousWindowId: `w${number - 1}`,
    windowId: `w${number}`,
  });
}

function accept(answer: OpenedThread | StoreRefusal): OpenedThread {
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer;
}

async function createFinishedThread(lines: (threadId: string) => readonly LineBody[]) {
  const harness = createHistoryHarness();
  const history = harness.open({ index: sqliteIndex(harness.home) });
  const journal = history.create(harness.origin());
  await journal.append(lines(journal.threadId));
  await journal.close();
  return { harness, history, threadId: journal.threadId };
}

async function modelOf(lines: readonly LineBody[]): Promise<ModelHistory> {
  const { history, threadId } = await createFinishedThread(() => lines);
  return accept(await history.open(threadId)).model();
}

const fork = async (history: FileThreadStore, harness: HistoryHarness, threadId: string, turnId: string) =>
  accept(await history.fork(threadId, { kind: "before", turnId }, harness.origin()));

describe("what a model has been told", () => {
  test("is what the last compaction left, and all that came after it", async () => {
    const model = await modelOf([
      said("forgotten"),
      compaction(1, "short"),
      said("also forgotten"),
      compaction(2, "shorter"),
      worldState({ cwd: "/repo" }, { full: true }),
      said("new"),
    ]);
    expect(model).toEqual({
      items: [message("shorter"), message("new")],
      worldState: { cwd: "/repo" },
      turnContext: null,
      window: { number: 2, firstId: "w0", previousId: "w1", id: "w2" },
      submitted: [],
      calls: null,
      turnSnapshots: [],
    });
  });

  test("is read from the beginning where a compaction does not say everything", async () => {
    const model = await modelOf([
      said("first"),
      { type: "compacted", payload: { message: "summary" } },
      said("new"),
    ]);
    expect([model.items, model.window.number]).toEqual([
      [message("first"), message("summary"), message("new")],
      1,
    ]);
  });

  test("is not mistaken for a compaction when somebody only writes of one", async () => {
    const text = '"type":"compacted"';
    const model = await modelOf([said("first"), said(text), responseItem({ type: "compacted" })]);
    expect(model.items).toEqual([message("first"), message(text), { type: "compacted" }]);
  });

  test("is found behind lines that are longer than a piece that is read at once", async () => {
    const long = "x".repeat(700_000);
    const model = await modelOf([said(long), compaction(1, long), said(long)]);
    expect(model.items).toEqual([message(long), message(long)]);
  });

  test("has nothing that was written after the thread was opened, however late it is asked for", async () => {
    const { history, threadId } = await createFinishedThread(() => [said("before")]);
    const { journal, model } = accept(await history.open(threadId));
    await journal.append([said("after")]);
    expect((await model()).items).toEqual([message("before")]);
    expect(await model()).toBe(await model());
  });

  test("is found where the file of a fork's source has gone to the archive", async () => {
    const { harness, history, threadId } = await createFinishedThread((id) => [
      said("shared"),
      ...turnLines(id, "t1", "a", "b"),
      ...turnLines(id, "t2", "c", "d"),
    ]);
    const { model } = await fork(history, harness, threadId, "t2");
    expect((await history.archive(threadId)).kind).not.toBe("refused");
    expect((await model()).items).toEqual([message("shared")]);
  });
});

describe("a thread that is opened", () => {
  test("has the settings that its history had where it was forked", async () => {
    const { harness, history, threadId } = await createFinishedThread((id) => [
      threadSettingsApplied(id, { model: "early" }),
      ...turnLines(id, "t1", "a", "b"),
      ...turnLines(id, "t2", "c", "d"),
      threadSettingsApplied(id, { model: "late" }),
    ]);
    const { facts, journal } = await fork(history, harness, threadId, "t2");
    expect([facts.settings, facts.preview]).toEqual([{ model: "early" }, "a"]);
    await journal.close();
    expect(accept(await history.open(journal.threadId)).facts.settings).toEqual({ model: "early" });
  });

  test("shows a turn that was cut off as interrupted, and the next one as running", async () => {
    const { history, threadId } = await createFinishedThread(() => [started("t1")]);
    const { journal } = accept(await history.open(threadId));
    const statuses = async () => {
      const page = await history.turns(threadId, { direction: "asc" });
      return page.kind === "page" ? page.data.map(({ status }) => status) : page;
    };
    expect(await statuses()).toEqual(["interrupted"]);
    await journal.append([started("t2")]);
    expect(await statuses()).toEqual(["interrupted", "inProgress"]);
  });
});
