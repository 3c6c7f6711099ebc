/** The commands of the terminal client, typed as by a user. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { messageReply } from "../../support/model-events.ts";
import type { Check } from "../client.ts";
import { conversationsOf, requestsOf } from "../model-replies.ts";
import { startTui } from "../tui-session.ts";

const REVIEW = JSON.stringify({
  findings: [],
  overall_correctness: "patch is correct",
  overall_explanation: "Nothing is wrong with it",
  overall_confidence_score: 0.9,
});

/**
 * A command for a feature that Heddle does not have. The terminal client reports that it failed, after any
 * questions that it asks; the reason is among its warnings.
 */
const leftOut = (command: string, failure: RegExp, sentence: RegExp): Check => ({
  name: `${command} is explained`,
  heddleOnly: "the peer has it",
  async run(harness) {
    const tui = await startTui(harness);
    await tui.enter(command);
    await tui.pressUntilShown("Enter", failure);
    await tui.pressUntilShown("F2", sentence);
  },
});

export const tuiCommandChecks: readonly Check[] = [
  {
    name: "!command",
    async run(harness) {
      const tui = await startTui(harness);
      await tui.type("!");
      await tui.shows(/Shell mode/u);
      await tui.type("echo bang-$((40+2))");
      await tui.shows(/! echo bang/u);
      await tui.pressUntilGone("Enter", /Shell mode/u);
      await tui.shows(/bang-42/u);
    },
  },
  {
    name: "/compact",
    replies: [messageReply("Hello from the model"), messageReply("A summary", { id: "2" })],
    async run(harness) {
      const tui = await startTui(harness, "Say hello");
      await tui.enter("/compact");
      await tui.shows(/[Cc]ontext compacted/u);
      assert.ok(requestsOf(harness).length > 1, "the model was not asked for a summary");
    },
  },
  {
    name: "/rename",
    async run(harness) {
      const tui = await startTui(harness, "Say hello");
      await tui.enter("/rename A good name");
      await tui.shows(/workspace · A good name/u);
    },
  },
  {
    name: "/fork",
    async run(harness) {
      const tui = await startTui(harness, "Remember the word heron");
      await tui.enter("/fork");
      await tui.shows(/forked from/u);
      await tui.enter("What was it?");
      await tui.shows(/What was it\?[\s\S]*Hello from the model/u);
      const expected = ["Remember the word heron", "Hello from the model", "What was it?"];
      assert.ok(conversationsOf(harness).some((said) => isDeepStrictEqual(said, expected)));
    },
  },
  {
    name: "/model",
    async run(harness) {
      const tui = await startTui(harness);
      await tui.enter("/model");
      await tui.shows(/Select Model/u);
    },
  },
  {
    name: "/status",
    async run(harness) {
      const tui = await startTui(harness, "Say hello");
      await tui.enter("/status");
      await tui.shows(/Directory:[\s\S]*Session:/u);
    },
  },
  {
    name: "/diff",
    async run(harness) {
      await harness.home.write("workspace/new.txt", "a line of a new file\n");
      const tui = await startTui(harness);
      await tui.enter("/diff");
      await tui.shows(/\+a line of a new file/u);
    },
  },
  {
    name: "/review",
    replies: [messageReply(REVIEW)],
    async run(harness) {
      await harness.home.write("workspace/new.txt", "a line of a new file\n");
      const tui = await startTui(harness);
      await tui.enter("/review look at new.txt");
      await tui.shows(/Nothing is wrong with it/u);
    },
  },
  leftOut(
    "/import",
    /Could not check for importable setup/u,
    /does not import the configuration of other agents/u,
  ),
  leftOut("/logout", /Logout failed/u, /nothing to log out of/u),
  leftOut("/feedback", /Failed to upload feedback/u, /No feedback was sent/u),
];
