/** Experimental features: the list, and switching them for the running process. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, STDIO, STDIO_AND_WS } from "../steps.ts";

const set = (enablement: Record<string, boolean>, kept: Record<string, boolean>, as = "set") =>
  call(
    "experimentalFeature/enablement/set",
    { enablement },
    { as, expect: { result: { enablement: kept } } },
  );

/** Reads the configuration only for its features; the rest is the business of config/read's own scenarios. */
const features = (expect: Record<string, boolean>, as = "read", params: unknown = { includeLayers: false }) =>
  call("config/read", params, { as, expect: { result: { config: { features: expect } } } });

export const featureScenarios: readonly Scenario[] = [
  {
    name: "features/list",
    about: "Every feature is listed with its stage, whether it is on, and whether it is on by default.",
    transports: STDIO_AND_WS,
    config: { whole: "" },
    steps: [initialize(), call("experimentalFeature/list", {}, { expect: { result: { nextCursor: null } } })],
  },
  {
    name: "features/pages",
    about: "The list of features comes in pages.",
    transports: STDIO,
    steps: [
      initialize(),
      call(
        "experimentalFeature/list",
        { limit: 2 },
        { as: "first", expect: { result: { data: [{}, {}], nextCursor: "2" } } },
      ),
      call("experimentalFeature/list", { limit: 1, cursor: "{{first.result.nextCursor}}" }, { as: "second" }),
    ],
  },
  {
    name: "features/of-a-thread",
    about: "For a thread the list follows the configuration of the thread's project.",
    transports: STDIO,
    config: { tables: '[projects."{{workspace}}"]\ntrust_level = "trusted"\n' },
    files: { "workspace/.codex/config.toml": "[features]\nmemories = true\n" },
    steps: [
      initialize(),
      call("thread/start", { cwd: "{{workspace}}" }, { settles: true }),
      call(
        "experimentalFeature/list",
        { threadId: "{{thread/start.result.thread.id}}" },
        {
          expect: { result: { data: { $includes: [{ name: "memories", enabled: true }] } } },
        },
      ),
    ],
  },
  {
    name: "features/of-no-thread",
    about: "For a thread that is not loaded the list is refused.",
    transports: STDIO,
    steps: [
      initialize(),
      call(
        "experimentalFeature/list",
        { threadId: "00000000-0000-4000-8000-000000000001" },
        {
          expect: {
            error: {
              code: -32600,
              message: { $regex: "thread not found: 00000000-0000-4000-8000-000000000001" },
            },
          },
        },
      ),
    ],
  },
  {
    name: "features/set-shows-everywhere",
    about: "A feature that is set shows in config/read with and without a folder.",
    transports: STDIO,
    config: { whole: "" },
    steps: [
      initialize(),
      set({ auth_elicitation: true }, { auth_elicitation: true }),
      features({ auth_elicitation: true }, "read without a folder"),
      features({ auth_elicitation: true }, "read with a folder", {
        includeLayers: false,
        cwd: "{{workspace}}",
      }),
    ],
  },
  {
    name: "features/set-yields-to-the-user",
    about: "What the user has configured wins over what a client sets.",
    transports: STDIO,
    config: { whole: "[features]\nmemories = false\n" },
    steps: [initialize(), set({ memories: true }, { memories: true }), features({ memories: false })],
  },
  {
    name: "features/set-adds-up",
    about: "Setting some features leaves the others as they were set before; setting none changes nothing.",
    transports: STDIO,
    config: { whole: "" },
    steps: [
      initialize(),
      set({ mentions_v2: true }, { mentions_v2: true }, "first"),
      set(
        { auth_elicitation: true, memories: true, remote_plugin: true, tool_suggest: false },
        { auth_elicitation: true, memories: true, remote_plugin: true, tool_suggest: false },
        "second",
      ),
      set({}, {}, "none"),
      features({
        mentions_v2: true,
        auth_elicitation: true,
        memories: true,
        remote_plugin: true,
        tool_suggest: false,
      }),
    ],
  },
  {
    name: "features/set-remote-control",
    about: "Remote control is one of the features that can be set.",
    transports: STDIO,
    steps: [initialize(), set({ remote_control: false }, { remote_control: false })],
  },
  {
    name: "features/set-ignores-others",
    about: "Features that clients may not set, and names that are none, are left out of the answer.",
    transports: STDIO,
    steps: [
      initialize(),
      set(
        {
          apps: false,
          auth_elicitation: true,
          connectors: false,
          personality: false,
          plugins: false,
          tool_call_mcp_elicitation: false,
          unknown_feature: true,
        },
        { auth_elicitation: true },
      ),
    ],
  },
];
