/** A temporary folder per test, with the context that a patch tool needs. */

import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import type { FileEdit } from "../diff/file-diff.ts";
import type { PermissionAnswer, PermissionSubject } from "../permission.ts";
import { decidePermissions } from "../permissions.fixture.ts";
import type { ToolContext } from "../tool.ts";

export interface PatchFolder {
  readonly path: string;
  at(name: string): string;
  put(files: Readonly<Record<string, string | Buffer>>): void;
  /** Every file by name, symlinks as `-> target`. */
  files(): Record<string, string>;
  remove(): void;
}

export function createPatchFolder(files: Readonly<Record<string, string | Buffer>> = {}): PatchFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "heddle-patch-")));
  const folder: PatchFolder = {
    path,
    at: (name) => join(path, name),
    put(more) {
      for (const [name, content] of Object.entries(more)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), content);
      }
    },
    files: () => (existsSync(path) ? contentsOf(path) : {}),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
  folder.put(files);
  return folder;
}

function contentsOf(root: string): Record<string, string> {
  const contents: Record<string, string> = {};
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()) {
    const stats = lstatSync(join(root, name));
    if (stats.isSymbolicLink()) contents[name] = `-> ${readlinkSync(join(root, name))}`;
    else if (stats.isFile()) contents[name] = readFileSync(join(root, name), "latin1");
  }
  return contents;
}

/** The recorded actions of a tool, in order. */
export type Trace = (
  | { readonly begin: ThreadItem }
  | { readonly ask: PermissionSubject }
  | { readonly complete: ThreadItem }
)[];

export function createPatchContext(
  cwd: string,
  decide: (subject: PermissionSubject) => PermissionAnswer | Promise<PermissionAnswer> = () => ({
    kind: "approved",
  }),
): { context: ToolContext; trace: Trace; edited: (readonly FileEdit[])[]; abort: AbortController } {
  const trace: Trace = [];
  const edited: (readonly FileEdit[])[] = [];
  const abort = new AbortController();
  const context: ToolContext = {
    threadId: "thread",
    turnId: "turn",
    cwd,
    workspaceRoot: cwd,
    sandbox: { type: "dangerFullAccess" },
    signal: abort.signal,
    items: {
      begin: (item) => trace.push({ begin: item }),
      complete: (item) => trace.push({ complete: item }),
      outputDelta: () => undefined,
      terminalInteraction: () => undefined,
      mcpProgress: () => undefined,
    },
    edited: (edits) => void edited.push(edits),
    permissions: decidePermissions((subject) => {
      trace.push({ ask: subject });
      return decide(subject);
    }),
    ask: async () => ({ kind: "abandoned" }),
    plan: () => undefined,
    mode: "default",
    onInput: () => () => undefined,
  };
  return { context, trace, edited, abort };
}

export function patchOf(...lines: string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}
