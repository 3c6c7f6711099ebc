/** Where a client connects to: an address, or a function that tells it before each connection. */
import { messageOf } from "../base/errors.ts";
import { ConnectionError } from "./connection-error.ts";

/** A function is asked anew after each loss: what is in an address may be good only once, as a ticket is. */
export type ConnectTarget = string | (() => string | Promise<string>);

/** How long a function may take; a client that waits for ever would never try again. */
const TELL_MS = 30_000;

export async function tellTarget(target: ConnectTarget): Promise<string> {
  if (typeof target === "string") return target;
  const { promise, cancel } = deadline();
  try {
    const told: unknown = await Promise.race([target(), promise]);
    if (typeof told !== "string")
      throw new Error(`it is ${told === null ? "null" : typeof told}, not a string`);
    return told;
  } catch (error) {
    throw new ConnectionError("refused", `the address to connect to was not told: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    cancel();
  }
}

function deadline(): { readonly promise: Promise<never>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came within ${TELL_MS / 1000} s`)), TELL_MS);
    cancel = () => clearTimeout(timer);
  });
  return { promise, cancel };
}

/** As it may stand in messages: what follows the path lets others connect. */
export function nameOf(target: string): string {
  return target.replace(/[?#].*$/su, "");
}
