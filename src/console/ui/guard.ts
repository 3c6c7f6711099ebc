/** The attributes of a control that asks the server for something: it is switched off without the right to it, and says why. */
import { lackOf, type Method } from "../state/rights.ts";

interface GuardOptions {
  /** Said where nothing is missing. */
  readonly title?: string | undefined;
  readonly isDisabled?: boolean;
}

export function guard(method: Method, { title, isDisabled = false }: GuardOptions = {}) {
  const lack = lackOf(method);
  return { disabled: lack !== null || isDisabled, title: lack ?? title };
}
