import type { FileEdit } from "../../tools/diff/file-diff.ts";
import { createTurnDiff } from "../../tools/diff/turn-diff.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { createPermissionHooks } from "../hooks/tool-hooks.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { textMessage } from "../items/response-items.ts";
import { createPermissions } from "../permissions/permissions.ts";
import type { Emit } from "../state/events.ts";
import { workFolderOf, workspaceRootOf } from "../state/settings.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** Creates the context in which the tools of a turn run and report their items. */
export function createToolContext(
  core: ThreadCore,
  turn: ActiveTurn,
  { permissionPolicy: policy, decisions }: TurnSetup,
  diff: DiffReport,
): ToolContext {
  const { id: threadId, settings, questions, emit, clock } = core;
  const { signal } = turn.abort;
  const ids = { threadId, turnId: turn.id };
  const items = createItemReporter({ ...ids, emit, clock });
  return {
    ...ids,
    cwd: workFolderOf(settings),
    workspaceRoot: workspaceRootOf(settings),
    sandbox: settings.sandbox,
    mode: settings.mode,
    signal,
    items,
    edited: diff.record,
    permissions: createPermissions({
      ...ids,
      signal,
      clock,
      log: core.log,
      policy,
      questions,
      decisions,
      items,
      warn: (message) => emit("warning", { threadId, message }),
      addNote(text) {
        const note = core.history.prepare([textMessage("developer", text)]);
        turn.pending.add(core.history.submit(note));
      },
      endTurn: () => turn.abort.abort(),
      hooks: createPermissionHooks(core.hooks, turn),
      preset: null,
      call: null,
    }),
    ask: (method, params) => questions.ask(method, params, signal),
    onInput(listener) {
      if (turn.pending.hasMessage) listener();
      return turn.pending.onMessage(listener);
    },
    plan: (plan, explanation) => emit("turn/plan/updated", { ...ids, explanation, plan: [...plan] }),
  };
}

export interface DiffReportOptions {
  readonly threadId: string;
  readonly turnId: string;
  /** Paths in the diff are relative to it. */
  readonly root: () => string;
  readonly emit: Emit;
}

/** Notifies clients of a turn's diff: after each change, and again after each response. */
export interface DiffReport {
  record(edits: readonly FileEdit[]): void;
  repeat(): void;
}

export function createDiffReport({ threadId, turnId, root, emit }: DiffReportOptions): DiffReport {
  const turnDiff = createTurnDiff({ root });
  let published = "";
  const publish = (diff: string) => {
    published = diff;
    emit("turn/diff/updated", { threadId, turnId, diff });
  };
  return {
    record(edits) {
      turnDiff.record(edits);
      const diff = turnDiff.render();
      if (diff !== "" || published !== "") publish(diff);
    },
    repeat() {
      if (published !== "") publish(published);
    },
  };
}
