/** The terminal client of Codex: conversations, and programs beside it that use the same server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { messageReply, streamedReply, unfinishedReply } from "../../support/model-events.ts";
import type { Check, Client } from "../client.ts";
import {
  commandReplies,
  escalatingReplies,
  lastRequest,
  lastToolOutput,
  requestsOf,
} from "../model-replies.ts";
import {
  openRemote,
  openTui,
  type RemoteTransport,
  readThreadId,
  sayFirst,
  startTui,
} from "../tui-session.ts";
import { tuiCommandChecks } from "./tui-commands.ts";

const chat = (transport: RemoteTransport, how: string): Check => ({
  name: `chat over ${how}`,
  replies: [streamedReply(["Hello ", "from the model"])],
  async run(harness) {
    const tui = await openTui(harness, await openRemote(harness, transport));
    await tui.enter("Say hello");
    await tui.shows(/Hello from the model/u);
    assert.match(lastRequest(harness), /Say hello/u);
  },
});

const approval = (key: string, what: string, told: RegExp): Check => ({
  name: `an approval is ${what}`,
  replies: escalatingReplies("echo from-outside"),
  async run(harness) {
    const tui = await startTui(harness);
    await tui.enter("Go");
    await tui.shows(/Would you like to run the following command/u);
    await tui.pressUntilGone(key, /Would you like to run the following command/u);
    if (what === "given") await tui.shows(/Done/u);
    else await tui.shows(/for shortcuts|interrupted|did not approve|canceled/u);
    assert.match(what === "given" ? lastToolOutput(harness) : await tui.screen(), told);
  },
});

/** A hook with a message for the user. */
const HOOKS = JSON.stringify({
  hooks: {
    UserPromptSubmit: [
      { hooks: [{ type: "command", command: 'echo \'{"systemMessage":"a word of the hook"}\'' }] },
    ],
  },
});

export const codexTui: Client = {
  name: "codex TUI",
  version: "0.166.0",
  source: { kind: "peer" },
  needs: ["tmux", "git"],
  checks: [
    chat("ws", "ws:// with a bearer token"),
    chat("unix", "unix://"),
    {
      name: "another folder by --cd",
      async run(harness) {
        await harness.home.write("workspace/below/file.txt", "");
        const folder = join(harness.home.workspace, "below");
        const tui = await openTui(harness, await openRemote(harness), ["--cd", folder]);
        await tui.shows(/Trust and continue/u);
        await tui.pressUntilGone("Enter", /Trust and continue/u);
        await tui.enter("Say hello");
        await tui.shows(/Hello from the model/u);
        assert.ok(
          requestsOf(harness).some((text) => text.includes(`<cwd>${folder}</cwd>`)),
          "it is not there",
        );
      },
    },
    {
      name: "a command",
      replies: commandReplies("echo from-the-shell"),
      async run(harness) {
        const tui = await startTui(harness);
        await tui.enter("Go");
        await tui.shows(/Ran echo from-the-shell[\s\S]*Done/u);
      },
    },
    approval("y", "given", /from-outside/u),
    approval("Escape", "refused", /canceled|did not approve|not run|interrupted/iu),
    {
      name: "Esc",
      replies: [unfinishedReply("I begin")],
      async run(harness) {
        const tui = await startTui(harness);
        await tui.enter("Begin");
        await tui.shows(/I begin|esc to interrupt/u);
        await harness.model.arrived(1);
        await tui.press("Escape");
        await tui.shows(/interrupted/u);
      },
    },
    {
      name: "steering",
      replies: [unfinishedReply("I begin"), messageReply("I have heard of it", { id: "2" })],
      async run(harness) {
        const tui = await startTui(harness);
        await tui.enter("Begin");
        await harness.model.arrived(1);
        await tui.enter("And heed this");
        await tui.shows(/I have heard of it/u);
        assert.ok(
          requestsOf(harness).some((text) => text.includes("And heed this")),
          "the model was not told",
        );
      },
    },
    {
      name: "hook runs and /hooks",
      async run(harness) {
        await harness.home.write("home/hooks.json", HOOKS);
        const tui = await openTui(harness, await openRemote(harness));
        await tui.shows(/Hooks need review/u);
        await tui.pressUntilGone("Down", /› 1\. Review hooks/u);
        await tui.pressUntilGone("Enter", /Hooks need review/u);
        await tui.shows(/for shortcuts/u);
        await tui.enter("Say hello");
        await tui.shows(/a word of the hook/u);
        await tui.shows(/Hello from the model/u);
        await tui.enter("/hooks");
        await tui.shows(/UserPromptSubmit +1/u);
      },
    },
    {
      name: "a hook that cannot be settled is not asked about again",
      async run(harness) {
        const { home } = harness;
        await home.write("home/hooks.json", HOOKS.replace("echo ", "make check; echo "));
        const places = { roots: [home.workspace], kept: [] };
        await home.write("home/sandbox/writable-places.jsonl", `${JSON.stringify(places)}\n`);
        const remote = await openRemote(harness);
        const first = await openTui(harness, remote);
        await first.shows(/Hooks need review/u);
        await first.pressUntilGone("Down", /› 1\. Review hooks/u);
        await first.pressUntilGone("Enter", /Hooks need review/u);
        await first.shows(/for shortcuts/u);
        await first.enter("Say hello");
        await first.shows(/1 warning/u);
        await first.pressUntilShown("F2", /make\s+may\s+take\s+from\s+the\s+folder/u);
        const second = await openTui(harness, remote);
        const screen = await second.shows(/for shortcuts/u);
        assert.doesNotMatch(screen, /Hooks need review/u);
        await second.enter("/hooks");
        await second.shows(/UserPromptSubmit +1/u);
      },
    },
    {
      name: "the resume picker",
      async run(harness) {
        const remote = await openRemote(harness);
        await sayFirst(await openTui(harness, remote), "Remember the word heron");
        const tui = await openTui(harness, remote, ["resume"]);
        await tui.shows(/Remember the word heron/u);
        await tui.press("Enter");
        await tui.shows(/Remember the word heron[\s\S]*Hello from the model/u);
      },
    },
    {
      name: "codex resume --remote, with two clients on one thread",
      replies: [messageReply("Hello from the model"), messageReply("Heard by both", { id: "2" })],
      async run(harness) {
        const remote = await openRemote(harness);
        const first = await openTui(harness, remote);
        await sayFirst(first, "Remember the word heron");
        const second = await openTui(harness, remote, ["resume", await readThreadId(first)]);
        await second.shows(/Remember the word heron[\s\S]*Hello from the model/u);
        await second.enter("Say more");
        await second.shows(/Heard by both/u);
        await first.shows(/Heard by both/u);
      },
    },
    {
      name: "codex queue",
      replies: [messageReply("Hello from the model"), messageReply("An answer to the queue", { id: "2" })],
      async run(harness) {
        const remote = await openRemote(harness);
        const tui = await openTui(harness, remote);
        await sayFirst(tui, "Say hello");
        const words = ["queue", "--thread", await readThreadId(tui), "--message", "Queued words"];
        const queue = harness.start(harness.peer, [...words, ...remote.flags], remote.env);
        assert.equal((await queue.exit).code, 0, queue.stderr);
        await tui.shows(/Queued words[\s\S]*An answer to the queue/u);
      },
    },
    ...tuiCommandChecks,
  ],
};
