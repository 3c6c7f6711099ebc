/** Short ways to write the steps of scenarios about turns. */
import type { ModelConfig } from "../support/model-config.ts";
import type { CallStep, Scenario, Step } from "./scenario.ts";
import { call, initialize, notification, STDIO } from "./steps.ts";

export const THREAD = "{{thread.result.thread.id}}";
export const conversation: Step = { do: "conversation" };
export const completed: Step = notification("turn/completed");

/** The answer that a turn has started may come before or after its first notifications. */
export const TURN_ANSWERS = [
  ["turn", "second", "third", "steer", "interrupt", "review", "compact", "shell"].map(
    (label) => `response ${label}`,
  ),
];

/** Whether the limits are told when a response is cut is a matter of chance on the peer. */
export const INTERRUPT_RACES = ["account/rateLimits/updated"];

export function textInput(...texts: readonly string[]) {
  return texts.map((text) => ({ type: "text", text }));
}

type TurnOptions = { readonly as?: string; readonly on?: string; readonly thread?: string };

export function turn(
  text: string,
  more: Readonly<Record<string, unknown>> = {},
  { as = "turn", on, thread = "thread" }: TurnOptions = {},
): CallStep {
  const params = { threadId: `{{${thread}.result.thread.id}}`, input: textInput(text), ...more };
  return call("turn/start", params, { as, ...(on === undefined ? {} : { on }) });
}

/** The handshake and a thread, the beginning of almost every scenario here. */
export function withThread(params: Readonly<Record<string, unknown>> = {}): readonly Step[] {
  return [initialize(), call("thread/start", params, { as: "thread", settles: true })];
}

/** Commands and patches run unasked and unconfined, so that the scenario is about the loop alone. */
export const UNCONFINED = { sandbox: "danger-full-access", approvalPolicy: "never" };

type Brief = Pick<Scenario, "name" | "about" | "steps"> &
  Partial<Omit<Scenario, "config">> & { readonly config?: ModelConfig };

/** A scenario over stdio in which the answers to turn requests have no fixed place, without the peer's own skills. */
export function turnScenario({ config, ...brief }: Brief): Scenario {
  const tables = `[skills.bundled]\nenabled = false\n${config?.tables ?? ""}`;
  return { transports: STDIO, freeOrder: TURN_ANSWERS, ...brief, config: { ...config, tables } };
}

/** A scenario about methods that the peer does not have. */
export function ownScenario(brief: Brief): Scenario {
  return { ...turnScenario(brief), isOwn: true };
}
