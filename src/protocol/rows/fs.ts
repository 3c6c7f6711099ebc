// Files and folders of the server's machine.

import { emptyResult, free, notification, perConnection, request } from "./row.ts";
import { absolutePath, array, boolean, define, i64, nullable, object, optional, string } from "./shape.ts";

export const FsReadFileParams = define("FsReadFileParams", object({ path: absolutePath() }));
export const FsReadFileResponse = define("FsReadFileResponse", object({ dataBase64: string() }));
export const FsWriteFileParams = define(
  "FsWriteFileParams",
  object({ path: absolutePath(), dataBase64: string() }),
);
export const FsCreateDirectoryParams = define(
  "FsCreateDirectoryParams",
  object({ path: absolutePath(), recursive: nullable(boolean()) }),
);
export const FsGetMetadataParams = define("FsGetMetadataParams", object({ path: absolutePath() }));
export const FsGetMetadataResponse = define(
  "FsGetMetadataResponse",
  object({
    isDirectory: boolean(),
    isFile: boolean(),
    isSymlink: boolean(),
    createdAtMs: i64(),
    modifiedAtMs: i64(),
  }),
);
export const FsReadDirectoryParams = define("FsReadDirectoryParams", object({ path: absolutePath() }));
export const FsReadDirectoryEntry = define(
  "FsReadDirectoryEntry",
  object({ fileName: string(), isDirectory: boolean(), isFile: boolean() }),
);
export const FsReadDirectoryResponse = define(
  "FsReadDirectoryResponse",
  object({ entries: array(FsReadDirectoryEntry) }),
);
export const FsRemoveParams = define(
  "FsRemoveParams",
  object({ path: absolutePath(), recursive: nullable(boolean()), force: nullable(boolean()) }),
);
export const FsCopyParams = define(
  "FsCopyParams",
  object({ sourcePath: absolutePath(), destinationPath: absolutePath(), recursive: optional(boolean()) }),
);
export const FsWatchParams = define("FsWatchParams", object({ watchId: string(), path: absolutePath() }));
export const FsWatchResponse = define("FsWatchResponse", object({ path: absolutePath() }));
export const FsUnwatchParams = define("FsUnwatchParams", object({ watchId: string() }));
export const FsChangedNotification = define(
  "FsChangedNotification",
  object({ watchId: string(), changedPaths: array(absolutePath()) }),
);

export const fsRequests = {
  "fs/readFile": request({
    summary: "Reads a file of the server's machine.",
    stability: "stable",
    scope: "admin",
    params: FsReadFileParams,
    result: FsReadFileResponse,
    order: free,
    idempotent: true,
    handlers: "files",
  }),
  "fs/writeFile": request({
    summary: "Writes a file of the server's machine.",
    stability: "stable",
    scope: "admin",
    params: FsWriteFileParams,
    result: emptyResult("FsWriteFileResponse"),
    order: free,
    handlers: "files",
  }),
  "fs/createDirectory": request({
    summary: "Creates a folder, by default with its parents.",
    stability: "stable",
    scope: "admin",
    params: FsCreateDirectoryParams,
    result: emptyResult("FsCreateDirectoryResponse"),
    order: free,
    handlers: "files",
  }),
  "fs/getMetadata": request({
    summary: "Reads the kind and the times of a path.",
    stability: "stable",
    scope: "admin",
    params: FsGetMetadataParams,
    result: FsGetMetadataResponse,
    order: free,
    idempotent: true,
    handlers: "files",
  }),
  "fs/readDirectory": request({
    summary: "Lists the direct children of a folder.",
    stability: "stable",
    scope: "admin",
    params: FsReadDirectoryParams,
    result: FsReadDirectoryResponse,
    order: free,
    idempotent: true,
    handlers: "files",
  }),
  "fs/remove": request({
    summary: "Removes a file or folder.",
    stability: "stable",
    scope: "admin",
    params: FsRemoveParams,
    result: emptyResult("FsRemoveResponse"),
    order: free,
    handlers: "files",
  }),
  "fs/copy": request({
    summary: "Copies a file or folder.",
    stability: "stable",
    scope: "admin",
    params: FsCopyParams,
    result: emptyResult("FsCopyResponse"),
    order: free,
    handlers: "files",
  }),
  "fs/watch": request({
    summary: "Starts to report changes at a path.",
    stability: "stable",
    scope: "admin",
    params: FsWatchParams,
    result: FsWatchResponse,
    order: perConnection("watchId"),
    handlers: "watches",
  }),
  "fs/unwatch": request({
    summary: "Stops to report changes.",
    stability: "stable",
    scope: "admin",
    params: FsUnwatchParams,
    result: emptyResult("FsUnwatchResponse"),
    order: perConnection("watchId"),
    handlers: "watches",
  }),
};

export const fsNotifications = {
  "fs/changed": notification({
    summary: "Something changed at a watched path.",
    stability: "stable",
    params: FsChangedNotification,
    audience: "connection",
  }),
};
