/** What the model is asked in a turn: the members of the request, and the order of its input. */
import { functionCallDone, type ModelEvent, messageReply, reply } from "../../support/model-events.ts";
import type { Scenario } from "../scenario.ts";
import { completed, conversation, turn, turnScenario, withThread } from "../turn-steps.ts";

const SCHEMA = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};

const done = (item: object): ModelEvent => ({ type: "response.output_item.done", item });

export const turnRequestScenarios: readonly Scenario[] = [
  turnScenario({
    name: "turns/output-schema",
    about: "An output schema goes to the model for its turn only.",
    model: [messageReply('{"answer":"42"}'), messageReply("Plain", { id: "2" })],
    steps: [
      ...withThread(),
      turn("Go", { outputSchema: SCHEMA }),
      completed,
      turn("Again", {}, { as: "second" }),
      completed,
      {
        do: "model",
        pick: ["/body/text"],
        expect: [{ "/body/text": { format: { type: "json_schema", strict: true } } }, {}],
      },
    ],
  }),
  turnScenario({
    name: "turns/request",
    about: "What the request for a response says besides its input.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      {
        do: "model",
        pick: [
          "model",
          "stream",
          "store",
          "tool_choice",
          "parallel_tool_calls",
          "reasoning",
          "include",
          "text",
          "service_tier",
          "prompt_cache_key",
          "instructions",
          "temperature",
          "max_output_tokens",
        ].map((key) => `/body/${key}`),
      },
      {
        do: "model",
        pick: ["/headers/accept", "/headers/content-type", "/headers/session-id", "/headers/thread-id"],
      },
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/request-of-a-catalog-model",
    about: "A model of the catalog is asked with its own reasoning and verbosity.",
    model: [messageReply("Done")],
    steps: [
      ...withThread({ model: "gpt-5.5" }),
      turn("Go"),
      completed,
      {
        do: "model",
        pick: ["model", "parallel_tool_calls", "reasoning", "include", "text", "service_tier"].map(
          (key) => `/body/${key}`,
        ),
      },
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/instructions",
    about: "A client's base and developer instructions take their places in the input.",
    model: [messageReply("Done")],
    steps: [
      ...withThread({ baseInstructions: "Be a parrot.", developerInstructions: "Repeat everything." }),
      turn("Go"),
      completed,
      { do: "model", pick: ["/body/input/0/role", "/body/input/0/content", "/body/instructions"] },
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/empty-instructions",
    about: "Empty instructions are none.",
    model: [messageReply("Done")],
    steps: [
      ...withThread({ baseInstructions: "", developerInstructions: "" }),
      turn("Go"),
      completed,
      { do: "model", pick: ["/body/input/0/role"] },
      { do: "model", pick: ["/body/instructions"] },
    ],
  }),
  turnScenario({
    name: "turns/configured-instructions",
    about: "The configuration may say who the model is; what it is not to be told is left out.",
    config: {
      root: 'instructions = "Be a fish."\nmodel_instructions_file = "own.md"\ninclude_permissions_instructions = false\ninclude_environment_context = false\n',
    },
    files: { "home/own.md": "  Be a bird.\n" },
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      {
        do: "model",
        pick: [0, 1, 2].flatMap((at) => [`/body/input/${at}/role`, `/body/input/${at}/content`]),
        expect: [{ "/body/input/0/content": [{ text: "Be a bird." }], "/body/input/1/role": "user" }],
      },
    ],
  }),
  turnScenario({
    name: "turns/no-time-in-context",
    about: "The day may be left out of what the model is told.",
    config: { root: "include_environment_context_time = false\n" },
    model: [messageReply("Done")],
    steps: [...withThread(), turn("Go"), completed, { do: "model", pick: ["/body/input/2/content"] }],
  }),
  turnScenario({
    name: "turns/default-mode",
    about: "A mode for which the client has no words is told to it and to the model in the server's own.",
    volatile: [
      {
        message: "thread/settings/updated",
        pointer: "/params/threadSettings/collaborationMode/settings/developer_instructions",
      },
    ],
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go", {
        collaborationMode: {
          mode: "default",
          settings: { model: "mock-model", reasoning_effort: null, developer_instructions: null },
        },
      }),
      completed,
      conversation,
    ],
  }),
  turnScenario({
    name: "turns/request-metadata",
    about: "The provider is told to which turn and window a request belongs.",
    model: [messageReply("Done")],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      {
        do: "model",
        pick: ["root_turn_id", "turn_id", "x-codex-window-id"].map((key) => `/body/client_metadata/${key}`),
      },
    ],
  }),
  turnScenario({
    name: "turns/item-names",
    about: "Items go back to the provider under its own names, under new ones, or under none.",
    model: [
      reply(
        "1",
        done({ type: "reasoning", id: "rs_1", summary: [], content: null, encrypted_content: "x" }),
        done({ type: "message", id: "foreign", role: "assistant", content: [] }),
        functionCallDone("call_1", "nothing", {}),
      ),
      messageReply("Done", { id: "2" }),
    ],
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      { do: "model", pick: [4, 5, 6, 7].map((at) => `/body/input/${at}/id`) },
    ],
  }),
  turnScenario({
    name: "turns/environment-context",
    about: "The model is told the place it works in.",
    model: [messageReply("Done")],
    files: { "workspace/AGENTS.md": "Use tabs.\n" },
    steps: [
      ...withThread(),
      turn("Go"),
      completed,
      { do: "model", pick: ["/body/input/2/role", "/body/input/2/content"] },
    ],
  }),
  turnScenario({
    name: "turns/additional-context",
    about: "Additional context travels before the message, and again only when it changes.",
    model: [messageReply("Done"), messageReply("Done", { id: "2" }), messageReply("Done", { id: "3" })],
    steps: [
      ...withThread(),
      turn("Go", {
        additionalContext: {
          browser_info: { value: "tab one", kind: "untrusted" },
          automation_info: { value: "run-1", kind: "application" },
        },
      }),
      completed,
      turn(
        "Again",
        { additionalContext: { browser_info: { value: "tab one", kind: "untrusted" } } },
        { as: "second" },
      ),
      completed,
      turn(
        "Last",
        { additionalContext: { browser_info: { value: "tab two", kind: "untrusted" } } },
        { as: "third" },
      ),
      completed,
      conversation,
    ],
  }),
];
