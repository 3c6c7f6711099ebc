// Processes outside the sandbox.

import { emptyResult, notification, perConnection, request } from "./row.ts";
import {
  absolutePath,
  array,
  boolean,
  choice,
  define,
  i32,
  i64,
  map,
  nullable,
  object,
  optional,
  string,
  u16,
  usize,
} from "./shape.ts";

export const ProcessTerminalSize = define("ProcessTerminalSize", object({ rows: u16(), cols: u16() }));
export const ProcessSpawnParams = define(
  "ProcessSpawnParams",
  object({
    command: array(string()),
    processHandle: string(),
    cwd: absolutePath(),
    tty: optional(boolean()),
    streamStdin: optional(boolean()),
    streamStdoutStderr: optional(boolean()),
    outputBytesCap: nullable(usize()),
    timeoutMs: nullable(i64()),
    env: nullable(map(nullable(string()))),
    size: nullable(ProcessTerminalSize),
  }),
);
export const ProcessWriteStdinParams = define(
  "ProcessWriteStdinParams",
  object({ processHandle: string(), deltaBase64: nullable(string()), closeStdin: optional(boolean()) }),
);
export const ProcessKillParams = define("ProcessKillParams", object({ processHandle: string() }));
export const ProcessResizePtyParams = define(
  "ProcessResizePtyParams",
  object({ processHandle: string(), size: ProcessTerminalSize }),
);
export const ProcessOutputStream = define("ProcessOutputStream", choice("stdout", "stderr"));
export const ProcessOutputDeltaNotification = define(
  "ProcessOutputDeltaNotification",
  object({
    processHandle: string(),
    stream: ProcessOutputStream,
    deltaBase64: string(),
    capReached: boolean(),
  }),
);
export const ProcessExitedNotification = define(
  "ProcessExitedNotification",
  object({
    processHandle: string(),
    exitCode: i32(),
    outputDrainTimedOut: optional(nullable(boolean())),
    stdout: string(),
    stdoutCapReached: boolean(),
    stderr: string(),
    stderrCapReached: boolean(),
  }),
);

export const processRequests = {
  "process/spawn": request({
    summary: "Starts a process outside the sandbox and responds at once.",
    stability: "experimental",
    scope: "admin",
    params: ProcessSpawnParams,
    result: emptyResult("ProcessSpawnResponse"),
    order: perConnection("processHandle"),
    handlers: "processes",
  }),
  "process/writeStdin": request({
    summary: "Writes to the input of a process.",
    stability: "experimental",
    scope: "admin",
    params: ProcessWriteStdinParams,
    result: emptyResult("ProcessWriteStdinResponse"),
    order: perConnection("processHandle"),
    handlers: "processes",
  }),
  "process/kill": request({
    summary: "Stops a process.",
    stability: "experimental",
    scope: "admin",
    params: ProcessKillParams,
    result: emptyResult("ProcessKillResponse"),
    order: perConnection("processHandle"),
    handlers: "processes",
  }),
  "process/resizePty": request({
    summary: "Changes the terminal size of a process.",
    stability: "experimental",
    scope: "admin",
    params: ProcessResizePtyParams,
    result: emptyResult("ProcessResizePtyResponse"),
    order: perConnection("processHandle"),
    handlers: "processes",
  }),
};

export const processNotifications = {
  "process/outputDelta": notification({
    summary: "More output of a process that the client started.",
    stability: "experimental",
    params: ProcessOutputDeltaNotification,
    audience: "connection",
  }),
  "process/exited": notification({
    summary: "A process that the client started has ended.",
    stability: "experimental",
    params: ProcessExitedNotification,
    audience: "connection",
  }),
};
