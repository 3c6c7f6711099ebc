/** The loads of a soak test, which run concurrently and repeatedly. */
import { connect as connectSocket } from "node:net";
import { type Client, type ConnectOptions, connect } from "../../src/client/index.ts";
import { pause } from "../bench/bench.ts";
import type { Random } from "../support/random.ts";
import { RUN } from "./soak-model.ts";

export interface LoadContext {
  readonly url: string;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** Runs until the time is over, and throws if the server misbehaves. */
export type Load = (context: LoadContext) => Promise<void>;

const PATIENCE_MS = 60_000;
const EXPERIMENTAL = { capabilities: { experimentalApi: true } } as const;
const HOOKS = {
  bypass_hook_trust: true,
  hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo noted" }] }] },
};

async function withClient(
  context: LoadContext,
  options: ConnectOptions,
  work: (client: Client) => Promise<void>,
) {
  const client = await connect(context.url, { ...EXPERIMENTAL, reconnect: false, ...options });
  try {
    await work(client);
  } finally {
    await client.close();
  }
}

/** New threads with some turns each, which are then left to be unloaded. */
const turns =
  (prompt: string, params: object, options: ConnectOptions = {}): Load =>
  async (context) => {
    while (!context.isOver())
      await withClient(context, options, async (client) => {
        const thread = await client.startThread(params);
        for (let turn = 0; turn < 8 && !context.isOver(); turn += 1)
          await thread.run(`${prompt} ${turn}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
        await thread.unsubscribe();
      });
  };

const queue: Load = async (context) => {
  while (!context.isOver())
    await withClient(context, {}, async (client) => {
      const thread = await client.startThread();
      const keys = Array.from({ length: 6 }, (_, at) => `queued ${at}`);
      const drained = new Promise<void>((resolve) => {
        let left = keys.length;
        client.on("turn/completed", () => {
          left -= 1;
          if (left === 0) resolve();
        });
      });
      for (const key of keys) await thread.queue.add(key);
      await drained;
    });
};

/** Connects, reads a thread while a turn runs, and disconnects in the middle of it. */
const dying: Load = async (context) => {
  while (!context.isOver()) {
    const client = await connect(context.url, { ...EXPERIMENTAL, reconnect: false });
    const thread = await client.startThread();
    const stream = thread.stream("Hello");
    stream.result.catch(() => {});
    await stream.turnId;
    void client.close();
    await client.closed;
    await pause(context.random.below(50));
  }
};

/** Opens a socket, sends half of a request and does not read. */
const silent: Load = async (context) => {
  const { hostname, port } = new URL(context.url);
  while (!context.isOver()) {
    const socket = connectSocket(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: webso");
    await pause(200 + context.random.below(300));
    socket.destroy();
  }
};

export const LOADS: Readonly<Record<string, Load>> = {
  turns: turns("Hello", {}),
  commands: turns(`${RUN} something`, { sandbox: "danger-full-access", approvalPolicy: "never" }),
  approvals: turns(
    `${RUN} something`,
    { sandbox: "danger-full-access", approvalPolicy: "untrusted" },
    { approve: () => "decline" },
  ),
  hooks: turns("Hello", { config: HOOKS }),
  queue,
  dying,
  silent,
};
