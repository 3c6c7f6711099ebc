/** Scripts that call one tool and then describe its result. */
import { isObject } from "../../base/json-object.ts";
import { type DemoContext, type DemoScript, type DemoStep, say } from "./demo-context.ts";

interface ToolScript {
  readonly words: readonly string[];
  readonly usage: string;
  readonly about: string;
  readonly tool: string;
  readonly input: (context: DemoContext) => string | object;
  /** Describes the call, also if the tool is not offered. */
  readonly intent: (context: DemoContext) => string;
  readonly describeResult: (result: string, context: DemoContext) => string;
}

const TABLE: readonly ToolScript[] = [
  {
    words: ["run"],
    usage: "run <command>",
    about: "a command in the shell",
    tool: "exec_command",
    input: ({ rest }) => ({ cmd: rest || "pwd" }),
    intent: ({ rest }) => `run \`${rest || "pwd"}\` in the shell`,
    describeResult: commandVerdict,
  },
  {
    words: ["create"],
    usage: "create <file>",
    about: "a new file, by a patch",
    tool: "apply_patch",
    input: ({ rest }) =>
      patch(`*** Add File: ${rest || "demo.txt"}`, "+This file was made by the demo model."),
    intent: ({ rest }) => `create the file ${rest || "demo.txt"}`,
    describeResult: patchVerdict,
  },
  {
    words: ["edit"],
    usage: "edit <file>",
    about: "a line at the end of a file, by a patch",
    tool: "apply_patch",
    input: ({ rest }) =>
      patch(`*** Update File: ${rest || "demo.txt"}`, "@@", "+This line was added by the demo model."),
    intent: ({ rest }) => `add a line to the file ${rest || "demo.txt"}`,
    describeResult: patchVerdict,
  },
  {
    words: ["delete"],
    usage: "delete <file>",
    about: "a file less, by a patch",
    tool: "apply_patch",
    input: ({ rest }) => patch(`*** Delete File: ${rest || "demo.txt"}`),
    intent: ({ rest }) => `delete the file ${rest || "demo.txt"}`,
    describeResult: patchVerdict,
  },
  {
    words: ["plan"],
    usage: "plan",
    about: "a plan in three steps",
    tool: "update_plan",
    input: ({ rest }) => ({
      explanation: rest || "A plan to look at",
      plan: [
        { step: "Look around", status: "completed" },
        { step: "Do the work", status: "in_progress" },
        { step: "Check the result", status: "pending" },
      ],
    }),
    intent: () => "show a plan in three steps: look around, do the work, check the result",
    describeResult: () => "That is the plan. I have looked around and would now do the work.",
  },
  {
    words: ["ask"],
    usage: "ask",
    about: "a question back to you",
    tool: "request_user_input",
    input: ({ rest }) => ({
      questions: [
        {
          id: "choice",
          header: "Choice",
          question: rest || "Which colour do you like better?",
          options: [
            { label: "Blue (Recommended)", description: "The colour of the sky." },
            { label: "Green", description: "The colour of the grass." },
          ],
        },
      ],
    }),
    intent: ({ rest }) => `ask you: ${rest || "Which colour do you like better?"}`,
    describeResult: (result) =>
      parseArguments(result) === null
        ? `I could not ask: ${shorten(result)}`
        : `Thank you. You answered: ${shorten(result)}`,
  },
  {
    words: ["view", "look"],
    usage: "view <image>",
    about: "a picture from the disk",
    tool: "view_image",
    input: ({ rest }) => ({ path: rest || "picture.png" }),
    intent: ({ rest }) => `look at the picture ${rest || "picture.png"}`,
    describeResult: (result) =>
      result === "" ? "I have looked at the picture." : `About the picture: ${shorten(result)}`,
  },
];

const known: readonly DemoScript[] = TABLE.map((row) => ({
  usage: row.usage,
  about: row.about,
  tool: row.tool,
  matches: ({ word }) => row.words.includes(word),
  play: (context) => playTool(row, context),
}));

const callTool: DemoScript = {
  usage: "call <tool> <json>",
  about: "a tool of yours, by its name",
  matches: ({ word, rest }) => word === "call" && rest !== "",
  play(context) {
    const [tool = "", ...words] = context.rest.split(/\s+/);
    const result = context.results.at(-1);
    if (result !== undefined) return [say(`The tool \`${tool}\` answered: ${shorten(result)}`)];
    const input = parseArguments(words.join(" "));
    if (!context.offers(tool)) return [say(`The tool \`${tool}\` is not available here.`)];
    if (input === null) return [say("The text after the name of the tool must be a JSON object.")];
    return [{ type: "call", tool, input }];
  },
};

function parseArguments(text: string): object | null {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

export const toolScripts: readonly DemoScript[] = [...known, callTool];

function playTool(row: ToolScript, context: DemoContext): readonly DemoStep[] {
  const result = context.results.at(-1);
  if (result !== undefined) return [say(row.describeResult(result, context))];
  if (!context.offers(row.tool)) {
    return [say(`I would ${row.intent(context)}, but the tool \`${row.tool}\` is not available here.`)];
  }
  return [
    say(`I am going to ${row.intent(context)}.`),
    { type: "call", tool: row.tool, input: row.input(context) },
  ];
}

function patch(...lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}

function commandVerdict(result: string): string {
  const code = /exited with code (-?\d+)/.exec(result)?.[1];
  const session = /running with session ID (\d+)/.exec(result)?.[1];
  const output = shorten(/\nOutput:\n([^]*)$/.exec(result)?.[1] ?? "");
  if (session !== undefined) return `The command is still running in session ${session}.`;
  if (code === undefined) return `The command did not run: ${shorten(result)}`;
  return `The command ended with exit code ${code}. ${output === "" ? "It printed nothing." : `It printed: ${output}`}`;
}

function patchVerdict(result: string): string {
  return /success/i.test(result) ? "The patch is in place." : `The patch was not applied: ${shorten(result)}`;
}

const MAX_LENGTH = 200;

function shorten(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MAX_LENGTH ? `${trimmed.slice(0, MAX_LENGTH)}...` : trimmed;
}
