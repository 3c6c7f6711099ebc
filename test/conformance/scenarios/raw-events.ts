/** The history in the provider's words, for clients that want to see it. */
import {
  functionCallDone,
  messageDone,
  messageReply,
  reply,
  responseCreated,
} from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { call } from "../steps.ts";
import { completed, THREAD, turn, turnScenario, withThread } from "../turn-steps.ts";

const RAW = { experimentalRawEvents: true };

/** What the model is told besides the conversation is said in every server's own words. */
const OWN_WORDS = [{ message: "rawResponseItem/completed", pointer: "/params/item/content/*/text" }];

export const rawEventScenarios: readonly Scenario[] = [
  turnScenario({
    name: "raw-events/turn",
    about: "Each item of the history and the end of each response are told as the provider knows them.",
    volatile: OWN_WORDS,
    model: [reply("1", functionCallDone("call_1", "nothing", {})), messageReply("Done", { id: "2" })],
    steps: [...withThread(RAW), turn("Go"), completed],
  }),
  turnScenario({
    name: "raw-events/no-usage",
    about: "A response that does not say what it used is told without it.",
    volatile: OWN_WORDS,
    model: [
      {
        events: [
          responseCreated("resp_1"),
          messageDone("msg_1", "Done"),
          { type: "response.completed", response: { id: "resp_1" } },
        ],
      },
    ],
    steps: [...withThread(RAW), turn("Go"), completed],
  }),
  turnScenario({
    name: "raw-events/compaction",
    about: "The summary of a compaction and the end of its response are told too.",
    config: { root: 'compact_prompt = "Summarise."\n' },
    volatile: [
      ...OWN_WORDS,
      { message: "thread/tokenUsage/updated", pointer: "/params/tokenUsage/last/*" },
      { message: "thread/tokenUsage/updated", pointer: "/params/tokenUsage/total/*" },
    ],
    model: [messageReply("SUMMARY", { id: "s" })],
    steps: [
      ...withThread(RAW),
      call("thread/compact/start", { threadId: THREAD }, { as: "compact", expect: { result: {} } }),
      completed,
    ],
  }),
];
