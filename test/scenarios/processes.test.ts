import { canBeEmbedded } from "../conformance/embedded-server.ts";
import { playScenarios, tasks } from "./golden-suite.ts";

playScenarios(
  "a server in a process of its own",
  tasks.filter(({ scenario, transport }) => !canBeEmbedded(scenario, transport)),
);
