/** Configuration that must stop a start, and configuration that only warns. */
import type { Scenario } from "../scenario.ts";
import { call, failsToStart, initialize, STDIO, STDIO_AND_WS } from "../steps.ts";

const START = ["app-server", "--listen", "stdio://"];

export const strictConfigScenarios: readonly Scenario[] = [
  {
    name: "strict-config/unknown-field",
    about: "With --strict-config a field that the server does not know stops the start and is named.",
    transports: STDIO,
    starts: false,
    config: { whole: 'foo = "bar"\n' },
    steps: [
      failsToStart(["app-server", "--strict-config", "--listen", "off"], 1, [
        "unknown configuration field `foo`",
      ]),
      failsToStart([...START, "--strict-config"], 1, ["unknown configuration field `foo`"]),
      failsToStart(START, 0, []),
    ],
  },
  {
    name: "strict-config/nested-unknown-field",
    about: "The name of an unknown field inside a table holds the path to it.",
    transports: STDIO,
    starts: false,
    config: { whole: "[history]\nunknown_inside = 1\n" },
    steps: [
      failsToStart([...START, "--strict-config"], 1, [
        "unknown configuration field `history.unknown_inside`",
      ]),
    ],
  },
  {
    name: "strict-config/known-fields",
    about: "With --strict-config a configuration of known fields starts.",
    transports: STDIO,
    args: ["--strict-config"],
    steps: [initialize()],
  },
  {
    name: "strict-config/unknown-field-warns",
    about: "Without --strict-config an unknown field is reported after initialize and the server works.",
    transports: STDIO_AND_WS,
    config: { root: 'foo = "bar"' },
    steps: [
      initialize(),
      call("config/read", {}, { expect: { result: { config: { model: "mock-model" } } } }),
    ],
    volatile: [{ message: "response config/read", pointer: "/result/config" }],
  },
  {
    name: "strict-config/broken-toml",
    about:
      "A config.toml that is no TOML does not stop the start: defaults apply and a warning says where it is broken.",
    transports: STDIO,
    config: { whole: "model = [\n" },
    steps: [initialize()],
  },
  {
    name: "strict-config/wrong-type",
    about:
      "A known field of the wrong type does not stop the start: defaults apply and a warning says what is wrong.",
    transports: STDIO,
    config: { whole: "model = 5\n" },
    steps: [initialize()],
  },
  {
    name: "strict-config/command-line-overrides",
    about: "A -c override wins over the file and is a layer of its own.",
    transports: STDIO,
    args: ["-c", 'model="from-the-command-line"', "-c", "history.max_bytes=7"],
    steps: [
      initialize(),
      call(
        "config/read",
        { includeLayers: true },
        {
          expect: { result: { config: { model: "from-the-command-line", history: { max_bytes: 7 } } } },
        },
      ),
    ],
  },
  {
    name: "strict-config/managed-login",
    about: "Machine-wide requirements that permit no way to log in stop the start.",
    transports: STDIO,
    starts: false,
    files: { "system/requirements.toml": "allowed_login_methods = []\n" },
    steps: [failsToStart(START, 1, ["authentication requirements do not permit any usable login method"])],
  },
];
