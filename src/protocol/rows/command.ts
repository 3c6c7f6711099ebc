// One-off commands in the sandbox.

import { SandboxPolicy } from "./policy.ts";
import { emptyResult, free, notification, perConnection, request } from "./row.ts";
import {
  array,
  boolean,
  choice,
  define,
  experimental,
  i32,
  i64,
  map,
  nullable,
  object,
  optional,
  path,
  string,
  u16,
  usize,
} from "./shape.ts";

export const CommandExecTerminalSize = define(
  "CommandExecTerminalSize",
  object({ rows: u16(), cols: u16() }),
);
export const CommandExecParams = define(
  "CommandExecParams",
  object({
    command: array(string()),
    processId: nullable(string()),
    tty: optional(boolean()),
    streamStdin: optional(boolean()),
    streamStdoutStderr: optional(boolean()),
    outputBytesCap: nullable(usize()),
    disableOutputCap: optional(boolean()),
    disableTimeout: optional(boolean()),
    timeoutMs: nullable(i64()),
    cwd: nullable(path()),
    env: nullable(map(nullable(string()))),
    size: nullable(CommandExecTerminalSize),
    sandboxPolicy: nullable(SandboxPolicy),
    permissionProfile: experimental("command/exec.permissionProfile", nullable(string())),
  }),
);
export const CommandExecResponse = define(
  "CommandExecResponse",
  object({ exitCode: i32(), stdout: string(), stderr: string() }),
);
export const CommandExecWriteParams = define(
  "CommandExecWriteParams",
  object({ processId: string(), deltaBase64: nullable(string()), closeStdin: optional(boolean()) }),
);
export const CommandExecTerminateParams = define(
  "CommandExecTerminateParams",
  object({ processId: string() }),
);
export const CommandExecResizeParams = define(
  "CommandExecResizeParams",
  object({ processId: string(), size: CommandExecTerminalSize }),
);
export const CommandExecOutputStream = define("CommandExecOutputStream", choice("stdout", "stderr"));
export const CommandExecOutputDeltaNotification = define(
  "CommandExecOutputDeltaNotification",
  object({
    processId: string(),
    stream: CommandExecOutputStream,
    deltaBase64: string(),
    capReached: boolean(),
  }),
);

export const commandRequests = {
  "command/exec": request({
    summary: "Runs one command in the sandbox and responds when it has ended.",
    stability: "stable",
    scope: "admin",
    params: CommandExecParams,
    result: CommandExecResponse,
    // The response is sent when the command ends; until then, other requests must be able to write to it.
    order: free,
    handlers: "commands",
  }),
  "command/exec/write": request({
    summary: "Writes to the input of a running command.",
    stability: "stable",
    scope: "admin",
    params: CommandExecWriteParams,
    result: emptyResult("CommandExecWriteResponse"),
    order: perConnection("processId"),
    handlers: "commands",
  }),
  "command/exec/terminate": request({
    summary: "Stops a running command.",
    stability: "stable",
    scope: "admin",
    params: CommandExecTerminateParams,
    result: emptyResult("CommandExecTerminateResponse"),
    order: perConnection("processId"),
    handlers: "commands",
  }),
  "command/exec/resize": request({
    summary: "Changes the terminal size of a running command.",
    stability: "stable",
    scope: "admin",
    params: CommandExecResizeParams,
    result: emptyResult("CommandExecResizeResponse"),
    order: perConnection("processId"),
    handlers: "commands",
  }),
};

export const commandNotifications = {
  "command/exec/outputDelta": notification({
    summary: "More output of a command that the client runs.",
    stability: "stable",
    params: CommandExecOutputDeltaNotification,
    audience: "connection",
  }),
};
