import type { StoreRefusal } from "../../store/refusal.ts";
import { Refused, refuse } from "../configuration/refusal.ts";

/** What the history has answered; refuses the request when that is a refusal. */
export function accept<T extends object>(answer: T | StoreRefusal): Exclude<T, StoreRefusal> {
  if (isRefusal(answer)) {
    const { reason, message } = answer;
    throw reason === "disk" ? new Refused("unavailable", message) : refuse(message);
  }
  return answer as Exclude<T, StoreRefusal>;
}

export function isRefusal(answer: object): answer is StoreRefusal {
  return "kind" in answer && answer.kind === "refused";
}

export function notSupportedYet(what: string): Refused {
  return new Refused("notSupported", `${what} is not supported yet`);
}
