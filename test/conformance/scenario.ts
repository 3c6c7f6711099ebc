/**
 * What a scenario is: a server's surroundings and a list of steps, all of it plain data. The player runs it against
 * the peer and against Heddle; the comparison wants both recordings to be the same.
 *
 * Any string may hold placeholders: `{{home}}`, `{{workspace}}`, `{{model}}` (the scripted model's address),
 * `{{address}}` (of a WebSocket listener), and `{{label.path.to.member}}` for a member of an earlier labelled answer.
 * A string that is one placeholder takes the value's type.
 */
import type { Pattern } from "../support/matches.ts";
import type { ModelReply } from "../support/scripted-model.ts";
import type { Transport } from "../support/start-server.ts";

export type Scenario = {
  /** `area/behaviour`, unique. */
  readonly name: string;
  /** The behaviour in one sentence. */
  readonly about: string;
  readonly transports: readonly Transport[];
  readonly steps: readonly Step[];
  /** Additions to the usual config.toml, or the whole file; null for none. */
  readonly config?: { readonly root?: string; readonly tables?: string } | { readonly whole: string | null };
  /** Files to put in place before the start; paths begin with `home/`, `workspace/`, `user/`, another folder, or `system/` (/etc/codex). */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: readonly ModelReply[];
  /** The `--listen` value when it is not the usual one. */
  readonly listen?: string;
  /** The peer has nothing like it: Heddle is played alone, and compared with its golden trace. */
  readonly isOwn?: true;
  /** A scenario about starting itself starts no server before its first step. */
  readonly starts?: false;
  /** Messages (by key) of one group may come in any order among the others. */
  readonly freeOrder?: readonly (readonly string[])[];
  /** Messages (by key) of which it is a race whether they get out; they are left out of the comparison. */
  readonly races?: readonly string[];
  /** Members that differ from run to run even on one server. */
  readonly volatile?: readonly { readonly message: string; readonly pointer: string }[];
};

export type Step =
  | CallStep
  | ({ readonly do: "send"; readonly method: string; readonly params?: unknown; readonly as: string } & On)
  | { readonly do: "reply"; readonly to: string; readonly expect?: Pattern }
  | ({ readonly do: "notify"; readonly method: string; readonly params?: unknown } & On)
  | ({ readonly do: "raw"; readonly text: string } & On)
  | ({ readonly do: "frame"; readonly kind: "binary" | "ping"; readonly text: string } & On)
  /** Sends a Close frame on a connection that is left open underneath. */
  | { readonly do: "lastFrame"; readonly on: string }
  | ({ readonly do: "await"; readonly message: Pattern; readonly as?: string } & On)
  /** Answers every request of the server that is open, if there is one. */
  | { readonly do: "answerOpen"; readonly result: unknown }
  | { readonly do: "answer"; readonly to: string; readonly result?: unknown; readonly error?: unknown }
  | ({ readonly do: "settle"; readonly milliseconds?: number } & On)
  | { readonly do: "connect"; readonly as: string; readonly path?: string; readonly headers?: Headers }
  | { readonly do: "close"; readonly on: string }
  | { readonly do: "endInput" }
  | { readonly do: "signal"; readonly signal: NodeJS.Signals; readonly staysFor?: number }
  | { readonly do: "exit"; readonly expect?: Pattern }
  | { readonly do: "restart"; readonly args?: readonly string[] }
  | HttpStep
  | RunStep
  /** Starts a server that makes this file, notes the file's mode, and stops it. */
  | {
      readonly do: "serve";
      readonly args: readonly string[];
      readonly until: string;
      readonly expect?: Pattern;
    }
  | { readonly do: "write"; readonly path: string; readonly text: string }
  | {
      readonly do: "read";
      readonly path: string;
      readonly as: "toml" | "json" | "jsonl" | "text" | "exists";
      readonly expect?: Pattern;
    }
  | { readonly do: "log"; readonly where: Pattern; readonly expect?: Pattern }
  | { readonly do: "model"; readonly pick: readonly string[]; readonly expect?: Pattern }
  /** What each request told the model beyond the one before; see conversation.ts. */
  | { readonly do: "conversation"; readonly expect?: Pattern }
  | { readonly do: "modelAsked"; readonly times: number }
  | { readonly do: "release" };

/** The connection a step uses; `main` when it names none. */
type On = { readonly on?: string };

export type CallStep = {
  readonly do: "call";
  readonly method: string;
  readonly params?: unknown;
  /** The name of the answer, for placeholders and for the report. */
  readonly as: string;
  readonly id?: string | number;
  readonly expect?: Pattern;
  /** Wait until nothing more arrives, because notifications without a fixed place follow. */
  readonly settles?: true;
} & On;

export type Headers = Readonly<Record<string, string | BearerToken>>;

/** A signed token with times relative to now, in seconds. */
export type BearerToken = {
  readonly secret: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly expiresIn?: number;
  readonly validIn?: number;
};

export type HttpStep = {
  readonly do: "http";
  readonly path: string;
  /** Asks for a WebSocket instead of a page. */
  readonly upgrade?: boolean;
  readonly method?: string;
  readonly headers?: Headers;
  readonly expect?: Pattern;
};

export type RunStep = {
  readonly do: "run";
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is looked for in the program's stderr; the rest of it is its own business. */
  readonly stderr?: readonly string[];
  readonly expect?: Pattern;
};
