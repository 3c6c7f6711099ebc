/** Rules files that cannot be read: who is told, and when. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, STDIO } from "../steps.ts";

const WARNING = {
  method: "configWarning",
  params: {
    summary: "Error parsing rules; custom rules not applied.",
    range: { start: { line: 1, column: 13 }, end: { line: 1, column: 13 } },
  },
};
const startThread = (as: string) => call("thread/start", {}, { as, settles: true });

export const rulesScenarios: readonly Scenario[] = [
  {
    name: "rules/broken-at-start",
    about: "Rules of the home that cannot be read are told after initialize, and not again with each thread.",
    transports: STDIO,
    files: { "home/rules/broken.rules": "prefix_rule(" },
    steps: [initialize(), { do: "await", message: WARNING }, startThread("start")],
  },
  {
    name: "rules/broken-later",
    about: "Rules that break while the server runs are told to whoever starts a thread, each time.",
    transports: STDIO,
    steps: [
      initialize(),
      { do: "write", path: "home/rules/broken.rules", text: "prefix_rule(" },
      startThread("start"),
      { do: "await", message: WARNING },
      startThread("start again"),
      { do: "await", message: WARNING, as: "warning again" },
    ],
  },
];
