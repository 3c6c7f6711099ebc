/**
 * Wraps a port so that its calls recover: a call that fails because of another process's lock waits for it, and one
 * that fails because of a damaged file is retried on its replacement. Each call must be one transaction or safe to
 * repeat.
 */
import type { Connection } from "./connection.ts";
import { isLocked, type LockWait } from "./lock-wait.ts";

type Call = (...values: readonly unknown[]) => unknown;

export function recoverCalls<T extends object>(
  port: T,
  connection: Pick<Connection, "replaceDamaged">,
  wait: LockWait,
): T {
  const members = Object.entries(Object.getOwnPropertyDescriptors(port)).map(([name, member]) => {
    const call = member.value as Call | undefined;
    if (typeof call !== "function") return [name, member] as const;
    const recovering: Call = (...values) => {
      const first = call(...values);
      if (!(first instanceof Promise)) return first;
      return first.catch((error: unknown) => {
        if (isLocked(error)) return wait.retry(async () => call(...values));
        if (!connection.replaceDamaged(error)) throw error;
        return call(...values);
      });
    };
    return [name, { ...member, value: recovering }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(members)) as T;
}
