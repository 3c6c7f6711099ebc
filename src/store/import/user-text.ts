/** What a text in a user's name is: transcripts mark everything but a person's own words by tags within the text. */

export type UserText =
  | { readonly kind: "prompt"; readonly text: string }
  /** A command of the program, written as its user typed it. It may have become a prompt, or have stayed local. */
  | { readonly kind: "command"; readonly text: string }
  /** What a local command printed. */
  | { readonly kind: "localOutput" }
  | { readonly kind: "shellInput"; readonly command: string }
  | { readonly kind: "shellOutput"; readonly output: string }
  | { readonly kind: "interrupted" }
  /** Told to the model by the program. */
  | { readonly kind: "context" }
  | { readonly kind: "empty" };

const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/;
const CONTEXT = /^<(?:system-reminder|ide_[a-z_]+|user-prompt-submit-hook|task-notification)>/;
const LOCAL = /^<local-command-(?:stdout|stderr|caveat)>/;

export function classifyUserText(raw: string): UserText {
  const text = raw.trim();
  if (text === "") return { kind: "empty" };
  if (INTERRUPTED.test(text)) return { kind: "interrupted" };
  if (CONTEXT.test(text)) return { kind: "context" };
  if (LOCAL.test(text)) return { kind: "localOutput" };
  const command = tagged(text, "command-name");
  if (command !== null && text.startsWith("<command-")) {
    const name = command.startsWith("/") ? command : `/${command}`;
    return { kind: "command", text: `${name} ${tagged(text, "command-args") ?? ""}`.trim() };
  }
  const shell = text.startsWith("<bash-input>") ? tagged(text, "bash-input") : null;
  if (shell !== null) return { kind: "shellInput", command: shell };
  if (/^<bash-std(?:out|err)>/.test(text)) {
    const output = [tagged(text, "bash-stdout"), tagged(text, "bash-stderr")].filter(Boolean).join("\n");
    return { kind: "shellOutput", output };
  }
  return { kind: "prompt", text: raw };
}

function tagged(text: string, tag: string): string | null {
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return null;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return text.slice(from, end < 0 ? undefined : end).trim();
}
