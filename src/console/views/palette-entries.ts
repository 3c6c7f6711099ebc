/** The entries of the palette: questions, views, threads and actions. */
import { openQuestions } from "../state/inbox.ts";
import { type GuardedMethod, lackOf } from "../state/rights.ts";
import { go, pathOf, place, VIEWS } from "../state/router.ts";
import { THREAD_ACTIONS } from "../state/thread-actions.ts";
import { allThreads, titleOfThread } from "../state/threads.ts";
import { keysOfView, VIEW_NAMES } from "../state/view-names.ts";
import { wordsOfQuestion } from "../text/describe-question.ts";
import type { IconName } from "../ui/icon.tsx";
import { labelOf } from "../ui/key-table.ts";
import { isNewThreadOpen, openKeyHelp } from "../ui/palette-state.ts";
import { runThreadAction } from "./thread-menu.tsx";

export interface PaletteEntry {
  readonly key: string;
  readonly name: string;
  readonly icon: IconName;
  readonly hint: string;
  /** Why it cannot be chosen. */
  readonly lack?: string | null;
  readonly run: () => void;
}

export function paletteEntries(): readonly PaletteEntry[] {
  return [...questions(), ...views(), ...actions(), ...threads()];
}

const questions = (): readonly PaletteEntry[] =>
  openQuestions.value.map((approval) => ({
    key: approval.id,
    name: wordsOfQuestion(approval).short,
    icon: "warn",
    hint: "question",
    run: () => go(pathOf("inbox", approval.id)),
  }));

const views = (): readonly PaletteEntry[] =>
  VIEWS.map((view) => ({
    key: view,
    name: VIEW_NAMES[view].name,
    icon: VIEW_NAMES[view].icon,
    hint: keysOfView(view),
    run: () => go(pathOf(view)),
  }));

const threads = (): readonly PaletteEntry[] =>
  allThreads.value.map((row) => ({
    key: row.id,
    name: titleOfThread(row),
    icon: "thread",
    hint: "thread",
    run: () => go(pathOf("threads", row.id)),
  }));

function actions(): readonly PaletteEntry[] {
  const { view, id } = place.value;
  const ofThread = view === "threads" && id !== null ? THREAD_ACTIONS : [];
  return [
    ...ofThread.map((action) => ({
      key: action.method,
      name: action.name,
      icon: action.icon,
      ...needing(action.method, "this thread"),
      run: () => runThreadAction(action, id ?? ""),
    })),
    {
      key: "new-thread",
      name: "New thread",
      icon: "thread",
      ...needing("thread/start", "action"),
      run() {
        go(pathOf("threads"));
        isNewThreadOpen.value = true;
      },
    },
    { key: "keys", name: "All keys", icon: "form", hint: labelOf("help"), run: openKeyHelp },
  ];
}

function needing(method: GuardedMethod, hint: string): Pick<PaletteEntry, "hint" | "lack"> {
  const lack = lackOf(method);
  return { hint: lack ?? hint, lack };
}
