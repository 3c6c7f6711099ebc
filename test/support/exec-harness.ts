/** A home, a repository and a scripted model for calls of `heddle exec`, and the result of each call. */
import { execFileSync } from "node:child_process";
import { Child } from "./child.ts";
import { type ModelConfig, modelConfig } from "./model-config.ts";
import { messageReply } from "./model-events.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel } from "./scripted-model.ts";
import { HEDDLE, type Program, serverEnvironment } from "./start-server.ts";
import { createTempHome, type TempHome } from "./temp-home.ts";

export interface ExecHarness {
  readonly home: TempHome;
  readonly model: ScriptedModel;
  /** Starts a call. */
  start(args: readonly string[], options?: CallOptions): Child;
  /** Runs a call to its exit. */
  call(args: readonly string[], options?: CallOptions): Promise<Ended>;
  /** The bodies of the requests to the model. */
  modelRequests(): ModelRequestBody[];
  close(): Promise<void>;
}

export interface CallOptions {
  readonly stdin?: string;
  readonly program?: Program;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The events on stdout, if it is JSON. */
  readonly events: readonly ExecEvent[];
}

export type ExecEvent = {
  readonly type: string;
  readonly thread_id?: string;
  readonly item?: ExecItem;
  readonly usage?: object;
};
export type ExecItem = { readonly id: string; readonly type: string } & Readonly<Record<string, unknown>>;

/** The part of a model request that tests read. */
export type ModelRequestBody = {
  readonly model: string;
  readonly text?: unknown;
  readonly reasoning?: unknown;
  readonly input: readonly { readonly role?: string; readonly content: { type: string; text?: string }[] }[];
};

export interface ExecHarnessOptions {
  readonly replies?: readonly ModelReply[];
  readonly config?: ModelConfig;
  readonly isRepository?: boolean;
  /** The parent folder of the home. */
  readonly under?: string;
}

export async function openExecHarness(options: ExecHarnessOptions = {}): Promise<ExecHarness> {
  const { replies = [messageReply("Hi there")], config, isRepository = true, under } = options;
  const model = await openScriptedModel(replies);
  const home = await createTempHome({
    config: modelConfig(model.url, config),
    ...(under !== undefined && { under }),
  });
  if (isRepository) execFileSync("git", ["init", "--quiet", home.workspace]);
  const children: Child[] = [];

  function start(args: readonly string[], { stdin = "", program = HEDDLE }: CallOptions = {}): Child {
    const child = new Child({
      command: program.command,
      args: [...program.args, "exec", ...args],
      cwd: home.workspace,
      env: serverEnvironment(home),
    });
    children.push(child);
    child.write(stdin);
    child.endInput();
    return child;
  }

  return {
    home,
    model,
    start,
    async call(args, callOptions) {
      const child = start(args, callOptions);
      const exit = await child.exit;
      const { stdout, stderr } = child;
      const lines = stdout.startsWith("{") ? stdout.trimEnd().split("\n") : [];
      return { ...exit, stdout, stderr, events: lines.map((line) => JSON.parse(line) as ExecEvent) };
    },
    modelRequests: () =>
      model.requests
        .filter(({ path }) => path.endsWith("/responses"))
        .map(({ body }) => body as ModelRequestBody),
    async close() {
      for (const child of children) await child.stop();
      await model.close();
      await home.remove();
    },
  };
}
