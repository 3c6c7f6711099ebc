import { embeddedTasks, playEmbedded } from "./golden-suite.ts";

playEmbedded(embeddedTasks.threads);
