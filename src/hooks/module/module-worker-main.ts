/**
 * A separate bundle with two entry points: the process that runs hook modules, started by `openModuleHost`,
 * and the worker thread of one module within it.
 */
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { ModuleData } from "./module-thread.ts";
import { runModule } from "./run-module.ts";
import { serveModules } from "./serve-modules.ts";

if (isMainThread) serveModules(process);
else if (parentPort !== null) runModule(workerData as ModuleData, parentPort);
