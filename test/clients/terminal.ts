/** A program on its own terminal, in tmux: sends keys, and reads the screen. */
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { DeadlineError, within } from "../support/within.ts";
import type { ClientHarness } from "./client.ts";

const DEADLINE = 15_000;

export interface Terminal {
  /** Types a text. */
  type(text: string): Promise<void>;
  /** Presses a key, by its tmux name. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types a line, waits until the screen shows it, and presses Enter. */
  enter(text: string): Promise<void>;
  /** The content of the screen and its scrollback. */
  screen(): Promise<string>;
  /**
   * Presses a key until the screen no longer shows something: a dialog ignores keys when it has just
   * appeared.
   */
  pressUntilGone(key: string, pattern: RegExp): Promise<void>;
  /** Presses a key until the screen shows something. */
  pressUntilShown(key: string, pattern: RegExp): Promise<void>;
  /** Waits until the screen shows something. */
  shows(pattern: RegExp): Promise<string>;
  /** Waits until the screen no longer shows it. */
  hides(pattern: RegExp): Promise<string>;
}

/** The output of one tmux command, between two lines of its control mode. */
interface Answer {
  readonly resolve: (lines: readonly string[]) => void;
  readonly lines: string[];
}

/**
 * Starts a command. tmux runs in control mode, which reports every output, so that the screen need not be
 * polled.
 */
export function openTerminal(
  harness: ClientHarness,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Terminal {
  const socket = join(harness.home.root, `tmux-${randomUUID().slice(0, 8)}`);
  // The last output of a program stays on the screen after it has exited.
  const size = ["-x", "110", "-y", "45"];
  const words = ["new-session", ...size, command, ";", "set-option", "-g", "remain-on-exit", "on"];
  const child = harness.start("tmux", ["-S", socket, "-f", "/dev/null", "-C", ...words], {
    ...env,
    TERM: "xterm-256color",
  });
  harness.onEnd(() => child.write("kill-server\n"));
  const events = new EventEmitter();
  const answers: Answer[] = [createAnswer(), createAnswer()];
  let isAnswering = false;
  let outputs = 0;
  let rest = "";

  child.onStdout((text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) read(line);
  });

  function read(line: string): void {
    if (isAnswering && !/^%(end|error) /u.test(line)) return void answers[0]?.lines.push(line);
    if (line.startsWith("%begin ")) isAnswering = true;
    else if (isAnswering) {
      isAnswering = false;
      const answer = answers.shift();
      answer?.resolve(answer.lines);
    } else if (/^%(output|exit|session-changed|layout-change)/u.test(line)) {
      outputs += 1;
      events.emit("output");
    }
  }

  const ask = (words: string) =>
    within(
      new Promise<readonly string[]>((resolve) => {
        answers.push(createAnswer(resolve));
        child.write(`${words}\n`);
      }),
      DEADLINE,
      `the answer of tmux to ${words}`,
    );

  const screen = async () => (await ask("capture-pane -p -J -S -300")).join("\n");

  async function until(fits: (text: string) => boolean, what: string, limit = DEADLINE): Promise<string> {
    const end = performance.now() + limit;
    for (;;) {
      const seen = outputs;
      const text = await screen();
      if (fits(text)) return text;
      const left = end - performance.now();
      try {
        if (left <= 0) throw new DeadlineError(what);
        if (seen === outputs) await within(once(events, "output"), left, what);
      } catch {
        throw new Error(`the screen ${what}, but is: ${tail(text)}`);
      }
    }
  }

  async function pressUntil(key: string, fits: (text: string) => boolean, what: string): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1) {
      await terminal.press(key);
      const fitted = until(fits, what, 500).then(
        () => true,
        () => false,
      );
      if (await fitted) return;
    }
    await until(fits, what, 0);
  }

  const terminal: Terminal = {
    async type(text) {
      await ask(`send-keys -l '${text.replaceAll("'", String.raw`'\''`)}'`);
    },
    async press(...keys) {
      await ask(`send-keys ${keys.join(" ")}`);
    },
    async enter(text) {
      await terminal.type(text);
      await until((seen) => seen.includes(text), `does not show what was typed: ${text}`);
      await terminal.press("Enter");
    },
    pressUntilGone: (key, pattern) =>
      pressUntil(key, (text) => !pattern.test(text), `still shows ${pattern.source}`),
    pressUntilShown: (key, pattern) =>
      pressUntil(key, (text) => pattern.test(text), `does not show ${pattern.source}`),
    screen,
    shows: (pattern) => until((text) => pattern.test(text), `does not show ${pattern.source}`),
    hides: (pattern) => until((text) => !pattern.test(text), `still shows ${pattern.source}`),
  };
  return terminal;
}

function createAnswer(resolve: Answer["resolve"] = () => {}): Answer {
  return { resolve, lines: [] };
}

function tail(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-14).join(" | ").slice(-400);
}
