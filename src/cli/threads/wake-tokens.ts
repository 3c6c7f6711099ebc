/** `heddle threads wake-token`: tokens with which programs wake a thread by HTTP. */
import { randomBytes } from "node:crypto";
import { orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { makeWakeToken, wakePath } from "../../runtime/wake/wake-tokens.ts";
import type { StoredWakeToken } from "../../store/wake-tokens.ts";
import { type CommandEntry, type CommandSpec, declareCommand } from "../command-line/command.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import { clip } from "../command-line/terminal-text.ts";
import { assertNotArchived, findStoredThread } from "../home/find-stored-thread.ts";
import { type OpenHome, withHome } from "../home/open-home.ts";

interface TokenCall extends Pick<OpenHome, "createId"> {
  readonly threadId: string;
  readonly wakeTokens: OpenHome["store"]["wakeTokens"];
  /** The operand after the thread. */
  readonly word: string;
  readonly name: string | null;
}

interface TokenCommand extends Pick<CommandEntry, "name" | "summary">, Partial<CommandSpec> {
  readonly example: { readonly command: string; readonly description: string };
  /** Returns the text and the object to print. */
  readonly run: (call: TokenCall) => Promise<readonly [string, object]>;
}

const MAX_SHOWN_NAME = 100;

const subcommands: readonly TokenCommand[] = [
  {
    name: "create",
    operands: "<THREAD>",
    summary: "Create a token; it is shown this once",
    options: [{ name: "name", value: "NAME", help: "What it is for" }],
    example: { command: "heddle threads wake-token create ID --name ci", description: "For a build server" },
    async run({ threadId, name, wakeTokens, createId }) {
      const made = orThrow(await makeWakeToken(threadId, name, { wakeTokens, createId, randomBytes }));
      const path = wakePath(made.secret);
      const { tokenId } = made.token;
      return [
        `token ${tokenId}: ${made.secret}\nPOST to ${path} of heddle serve wakes thread ${threadId}\n`,
        { wakeToken: show(made.token), token: made.secret, path },
      ];
    },
  },
  {
    name: "list",
    operands: "<THREAD>",
    summary: "Print the tokens of a thread, without their secrets",
    example: { command: "heddle threads wake-token list ID", description: "Who may wake it" },
    async run({ threadId, wakeTokens }) {
      const tokens = await wakeTokens.list(threadId);
      const lines = tokens.map(
        ({ tokenId, name, createdAtMs }) =>
          `${tokenId}  ${new Date(createdAtMs).toISOString()}  ${clip(name ?? "", MAX_SHOWN_NAME)}\n`,
      );
      return [lines.join(""), { wakeTokens: tokens.map(show) }];
    },
  },
  {
    name: "revoke",
    operands: "<THREAD> <TOKEN-ID>",
    summary: "Revoke a token at once",
    example: {
      command: "heddle threads wake-token revoke ID TOKEN-ID",
      description: "It wakes nothing more",
    },
    async run({ threadId, word, wakeTokens }) {
      if (!(await wakeTokens.revoke(threadId, word)))
        throw new Error(`thread ${threadId} has no token ${word}`);
      return [`revoked: ${word}\n`, { threadId, id: word, revoked: true }];
    },
  },
];

function toEntry({ options = [], example, run, ...declared }: TokenCommand): CommandEntry {
  return declareCommand({
    ...declared,
    options: [...options, jsonOption, ...globalOptions],
    examples: [example],
    run: (args, chain) =>
      withHome(chain, async ({ store, createId }) => {
        const [thread = "", word = ""] = args.operands;
        const found = await findStoredThread(store.threads, thread, () => store.queue.threads());
        assertNotArchived(found);
        const { wakeTokens } = store;
        const name = args.value("name") ?? null;
        const [text, object] = await run({
          threadId: found.threadId,
          wakeTokens,
          word,
          name,
          createId,
        });
        process.stdout.write(args.flag("json") ? `${JSON.stringify(object)}\n` : text);
        return 0;
      }),
  });
}

const show = ({ tokenId, threadId, name, createdAtMs }: StoredWakeToken) => ({
  id: tokenId,
  threadId,
  name,
  createdAt: Math.floor(createdAtMs / 1000),
});

export const wakeTokenCommand: CommandEntry = declareCommand({
  name: "wake-token",
  summary: "Let programs wake a thread by HTTP",
  details:
    "A token wakes one thread and can do nothing else. What is sent with it reaches the model as data.",
  options: globalOptions,
  subcommands: subcommands.map(toEntry),
  examples: [{ command: "heddle threads wake-token create ID --name ci", description: "For a build server" }],
});
