/** What a model is told of the time, and who says what time it is. */
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario, Step } from "../scenario.ts";
import { completed, TURN_ANSWERS, turn, turnScenario, withThread } from "../turn-steps.ts";

const AT = 1_781_717_655;
const ROOT = "suppress_unstable_features_warning = true\ninclude_environment_context = false\n";
const reminder = (settings: string) => `[features.current_time_reminder]\nenabled = true\n${settings}`;

/** The client is asked for the time, and says it. */
function clientSays(label: string, currentTimeAt: number): readonly Step[] {
  return [
    { do: "await", message: { method: "currentTime/read" }, as: label },
    { do: "answer", to: label, result: { currentTimeAt } },
  ];
}

const sleep = functionCallDone("sleep_1", "sleep", { duration_ms: 2000 });
const SLEEP = { ...sleep, item: { ...(sleep["item"] as object), namespace: "clock" } };

export const timeScenarios: readonly Scenario[] = [
  turnScenario({
    name: "time/of-the-client",
    about:
      "Where the clock is the client's, it is asked for the time, which the model is told after the words.",
    config: { root: ROOT, tables: reminder('clock_source = "external"\n') },
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("What time is it?"),
      ...clientSays("ask", AT),
      completed,
      {
        do: "model",
        pick: ["/body/input/2/content", "/body/input/3/role", "/body/input/3/content"],
        expect: [
          {
            "/body/input/3/content": [
              { text: "<current_time_reminder>It is 2026-06-17 17:34:15 UTC.</current_time_reminder>" },
            ],
          },
        ],
      },
    ],
  }),
  turnScenario({
    name: "time/interval",
    about: "The model is not reminded again before the interval has passed.",
    config: { root: ROOT, tables: reminder("reminder_interval_seconds = 3600\n") },
    model: [messageReply("One"), messageReply("Two", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      { do: "conversation" },
    ],
  }),
  turnScenario({
    name: "time/sleep-of-the-client",
    about: "A sleep lasts until the client's clock has come to its end.",
    config: { root: ROOT, tables: reminder('clock_source = "external"\nsleep_tool = true\n') },
    freeOrder: [...TURN_ANSWERS, ["request currentTime/read"]],
    volatile: [{ message: "conversation", pointer: "/**/output" }],
    model: [reply("1", SLEEP), messageReply("Done", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Sleep"),
      ...clientSays("before", AT),
      ...clientSays("begin", AT),
      ...clientSays("not yet", AT + 1),
      ...clientSays("over", AT + 2),
      ...clientSays("after", AT + 2),
      completed,
    ],
  }),
];
