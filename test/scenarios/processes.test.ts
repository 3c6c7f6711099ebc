import { playScenarios, processTasks } from "./golden-suite.ts";

playScenarios("a server in a process of its own", processTasks);
