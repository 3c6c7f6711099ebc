/** Notifications of the browser when a question arrives while the page is hidden. */
import { effect, signal } from "@preact/signals";
import { wordsOfQuestion } from "../text/describe-question.ts";
import { openQuestions } from "./inbox.ts";
import { pathOf } from "./router.ts";

export type Permission = "granted" | "denied" | "default" | "unavailable";

export const permission = signal<Permission>(readPermission());

/** Browsers allow notifications only over TLS and on the machine itself. */
function readPermission(): Permission {
  return isSecureContext && "Notification" in globalThis ? Notification.permission : "unavailable";
}

export async function requestPermission(): Promise<void> {
  if (permission.peek() !== "default") return;
  permission.value = await Notification.requestPermission();
  await registerWorker();
}

interface TrustedScripts {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

const WORKER = "/sw.js";

/** The one address of a script that the page makes itself. */
async function registerWorker(): Promise<ServiceWorkerRegistration | null> {
  if (!("serviceWorker" in navigator)) return null;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedScripts };
  policy ??= trustedTypes?.createPolicy("heddle-worker", {
    createScriptURL(url) {
      if (url !== WORKER) throw new TypeError("this script is not part of the page");
      return url;
    },
  });
  return navigator.serviceWorker.register(policy?.createScriptURL(WORKER) ?? WORKER);
}

let policy: ReturnType<TrustedScripts["createPolicy"]> | undefined;

export function followNotifications(): void {
  const known = new Set<string>();
  let isFirst = true;
  effect(() => {
    const questions = openQuestions.value;
    const fresh = questions.filter(({ id }) => !known.has(id));
    for (const { id } of questions) known.add(id);
    const [question] = fresh;
    if (!isFirst && question !== undefined && document.visibilityState === "hidden")
      void show(question.id, fresh.length);
    isFirst = false;
  });
}

/** The text says what is asked for, and nothing else of the thread. */
async function show(id: string, count: number): Promise<void> {
  if (permission.peek() !== "granted") return;
  const question = openQuestions.peek().find((each) => each.id === id);
  if (question === undefined) return;
  const title = count > 1 ? `${count} questions wait for you` : wordsOfQuestion(question).title;
  const options = {
    body: wordsOfQuestion(question).short.slice(0, 120),
    tag: id,
    data: { path: pathOf("inbox", id) },
  };
  const worker = await registerWorker().catch(() => null);
  if (worker === null) void new Notification(title, options);
  else await worker.showNotification(title, options);
}
