/** Facts that a view reads when it is opened, again after each reconnect, and when it is asked to. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { messageOf } from "../../base/errors.ts";
import type { Client } from "../../client/browser.ts";
import { client, whenConnected } from "./server.ts";

export interface Loaded<T> {
  /** Null until the first response. What was read stays while it is read again, and when that fails. */
  readonly data: ReadonlySignal<T | null>;
  readonly failure: ReadonlySignal<string | null>;
  put(data: T): void;
  load(client: Client): Promise<void>;
  reload(): Promise<void>;
}

export function createLoaded<T>(read: (client: Client) => Promise<T>): Loaded<T> {
  const data = signal<T | null>(null);
  const failure = signal<string | null>(null);
  let latest = 0;

  async function load(from: Client): Promise<void> {
    latest += 1;
    const own = latest;
    try {
      const found = await read(from);
      // A response of an earlier request would replace what a later one has said.
      if (own !== latest) return;
      data.value = found;
      failure.value = null;
    } catch (error) {
      if (own === latest) failure.value = messageOf(error);
    }
  }

  return {
    data,
    failure,
    load,
    put(found) {
      data.value = found;
    },
    async reload() {
      const current = client.peek();
      if (current !== null) await load(current);
    },
  };
}

/** Reads while the view is shown. With other `inputs` it reads again. */
export function useLoaded({ load }: Pick<Loaded<unknown>, "load">, inputs: readonly unknown[] = []): void {
  useEffect(() => whenConnected((current) => void load(current)), [...inputs]);
}
