import { describe, expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { ReviewTarget } from "../../protocol/generated/types.ts";
import { completed, message, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { contextWith, startThread } from "../thread.fixture.ts";
import { REVIEW_INSTRUCTIONS } from "./review-text.ts";
import type { TurnSetup } from "./turn-setup.ts";

const answer = JSON.stringify({
  findings: [],
  overall_correctness: "patch is correct",
  overall_explanation: "Nothing to say.",
  overall_confidence_score: 1,
});

function open(scripts: readonly Script[], setup: Partial<TurnSetup> = {}) {
  const world = startThread(scripts, [], {
    setup: { context: async () => contextWith({ rules: { permissions: "RULES" } }), ...setup },
    setupFor: ({ model }) => ({ context: async () => contextWith({ rules: { model } }) }),
  });
  const { thread, events } = world;
  const start = async (target: ReviewTarget = { type: "custom", instructions: "Look." }) => {
    const { begin } = await thread.accept({ kind: "review", target: target });
    begin();
  };
  return {
    ...world,
    start,
    async review(target?: ReviewTarget) {
      await start(target);
      await thread.whenIdle();
      return events.at(-1);
    },
    async run(text: string) {
      await world.begin(text);
      await thread.whenIdle();
    },
  };
}

const isShown = (event: string) => !/^(thread\/tokenUsage|account|thread\/readState)/u.test(event);

describe("a review", () => {
  test("shows what it is about, its work and its result, and not the reviewer's own answer", async () => {
    const { review, events } = open([[...messageEvents("m", answer), completed]]);
    expect(await review({ type: "uncommittedChanges" })).toBe("turn/completed completed");
    const shown = events.filter(isShown);
    expect(shown.slice(0, 4)).toEqual([
      "item/started enteredReviewMode",
      "item/completed enteredReviewMode",
      "thread/status/changed active",
      "turn/started inProgress",
    ]);
    expect(shown.slice(-6)).toEqual([
      "item/started exitedReviewMode",
      "item/completed exitedReviewMode",
      "item/started agentMessage Nothing to say.",
      "item/completed agentMessage Nothing to say.",
      "thread/status/changed idle",
      "turn/completed completed",
    ]);
    expect(shown.filter((event) => event.includes("findings") || event.includes("delta"))).toEqual([]);
    expect(events.filter((event) => event.startsWith("thread/tokenUsage"))).toEqual([]);
  });

  test("is done by somebody who knows nothing of the thread, by instructions of their own", async () => {
    const { review, run, model, told } = open([
      [...messageEvents("a", "Hello"), completed],
      [...messageEvents("m", answer), completed],
    ]);
    await run("one");
    await review();
    expect(told(1)?.filter((line) => /one|Hello/u.test(line))).toEqual([]);
    expect(told(1)?.at(-1)).toBe("user: Look.");
    expect(JSON.stringify(model.requests[1]?.input[0])).toContain(
      JSON.stringify(REVIEW_INSTRUCTIONS).slice(1, -1),
    );
  });

  test("is asked of the model that is configured for it", async () => {
    const findMergeBase = async () => "abc";
    const { review, run, model } = open([[...messageEvents("m", answer), completed], [completed]], {
      review: { model: "reviewer", findMergeBase },
    });
    await review();
    await run("one");
    expect(model.requests.map((request) => request.model)).toEqual(["reviewer", "m"]);
  });

  test("leaves its result in the thread, and nothing else", async () => {
    const { review, run, told } = open([[...messageEvents("m", answer), completed], [completed]]);
    await review();
    await run("two");
    const kept = told(1)?.filter((line) => !line.startsWith("developer:")) ?? [];
    expect(kept.map((line) => line.split("\n")[0])).toEqual([
      "user: <user_action>",
      "assistant: Nothing to say.",
      "user: two",
    ]);
    expect(kept[0]).toContain("Nothing to say.");
  });

  test("whose answer is no JSON shows it as it is", async () => {
    const { review, events } = open([
      [{ type: "itemDone", item: message("m", "Looks {good} to me.") }, completed],
    ]);
    await review();
    expect(events).toContain("item/completed agentMessage Looks {good} to me.");
  });

  test("that cannot be made fails, and leaves the thread usable", async () => {
    const findMergeBase = () => Promise.reject(new Error("no common commit"));
    const { review, run, seen, events, model } = open([[completed]], {
      review: { model: null, findMergeBase },
    });
    await review({ type: "baseBranch", branch: "main" });
    expect(model.requests).toEqual([]);
    expect(seen.filter(({ method }) => method === "error")).toMatchObject([
      { params: { error: { message: "no common commit" }, willRetry: false } },
    ]);
    await run("one");
    expect(events.at(-1)).toBe("turn/completed completed");
  });

  test("that fails is a failed turn, and leaves the thread usable", async () => {
    const error = { message: "no", codexErrorInfo: null, additionalDetails: null, misalignment: null };
    const { review, run, events } = open([[{ type: "failed", error }], [completed]]);
    expect(await review()).toBe("turn/completed failed");
    await run("one");
    expect(events.at(-1)).toBe("turn/completed completed");
  });

  test("that is interrupted says so, to the user and to the model", async () => {
    const { start, thread, run, model, events, told } = open([
      [...messageEvents("m", answer).slice(0, 2), createDeferred<void>().promise],
      [completed],
    ]);
    await start();
    await model.whenRequested(1);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed interrupted");
    expect(events.filter((event) => event.includes("exitedReviewMode")).length).toBe(2);
    await run("two");
    expect(told(1)).toContain(
      "assistant: Review was interrupted. Please re-run /review and wait for it to complete.",
    );
  });

  test("does not change what the thread itself has used or knows", async () => {
    const { review, run, told, seen } = open([
      [...messageEvents("a", "Hello"), completed],
      [...messageEvents("m", answer), completed],
      [...messageEvents("b", "Hi"), completed],
    ]);
    await run("one");
    await review();
    await run("two");
    expect(told(2)?.filter((line) => line.includes("RULES")).length).toBe(1);
    const totals = seen.flatMap(({ method, params }) =>
      method === "thread/tokenUsage/updated"
        ? [(params as { tokenUsage: { total: { totalTokens: number } } }).tokenUsage.total.totalTokens]
        : [],
    );
    expect(totals).toEqual([3, 6]);
  });
});
