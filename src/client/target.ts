/** The address that a client connects to, or a function that returns it before each connection. */
import { messageOf } from "../base/errors.ts";
import { ConnectionError } from "./connection-error.ts";

/** A function is called again after each loss, because an address may contain a single-use ticket. */
export type ConnectTarget = string | (() => string | Promise<string>);

/** Timeout of the function; a client that waits indefinitely would never retry. */
const RESOLVE_TIMEOUT_MS = 30_000;

export async function resolveTarget(target: ConnectTarget): Promise<string> {
  if (typeof target === "string") return target;
  const { promise, cancel } = deadline();
  try {
    const address: unknown = await Promise.race([target(), promise]);
    if (typeof address !== "string")
      throw new Error(`it is ${address === null ? "null" : typeof address}, not a string`);
    return address;
  } catch (error) {
    throw new ConnectionError(
      "refused",
      `the function for the address to connect to failed: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    cancel();
  }
}

function deadline(): { readonly promise: Promise<never>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`nothing came within ${RESOLVE_TIMEOUT_MS / 1000} s`)),
      RESOLVE_TIMEOUT_MS,
    );
    cancel = () => clearTimeout(timer);
  });
  return { promise, cancel };
}

/** The address for messages: the query may contain credentials and is dropped. */
export function displayAddress(target: string): string {
  return target.replace(/[?#].*$/su, "");
}
