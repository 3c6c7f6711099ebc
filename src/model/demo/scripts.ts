/** The scripts of the demo model. The first match is played. */
import { isObject } from "../../base/json-object.ts";
import { type DemoContext, type DemoScript, say } from "./demo-context.ts";
import { toolScripts } from "./tool-scripts.ts";

const MAX_DEPTH = 8;
const SLOW_PACE_MS = 100;
const SLOW_LINES = 20;

const structured: DemoScript = {
  usage: "(a turn with an output schema)",
  about: "an answer that follows the schema",
  matches: ({ schema }) => schema !== undefined,
  play: ({ schema, prompt }) => [say(JSON.stringify(fillSchema(schema, titleOf(prompt))))],
};

const talk: readonly DemoScript[] = [
  {
    usage: "think <about>",
    about: "reasoning before the answer",
    matches: ({ word }) => word === "think",
    play: ({ rest }) => [
      {
        type: "think",
        thoughts: [
          `**Reading the question**\n\nI look at what is asked: ${rest || "nothing in particular"}.`,
          "**Choosing an answer**\n\nA short one is enough.",
        ],
      },
      say("I have thought about it, and this is my whole answer."),
    ],
  },
  {
    usage: "slow",
    about: "a long stream, good for steering and interrupting",
    matches: ({ word }) => word === "slow",
    play: () => [
      {
        type: "say",
        text: Array.from({ length: SLOW_LINES }, (_, line) => `Line ${line + 1} of ${SLOW_LINES}.\n`).join(
          "",
        ),
        paceMs: SLOW_PACE_MS,
      },
    ],
  },
  {
    usage: "stumble",
    about: "a stream that breaks and is retried",
    matches: ({ word }) => word === "stumble",
    play: () => [
      { type: "stumble", lost: "This half is lost", cause: "the demo model was asked to stumble" },
      say("I stumbled once and then found my way."),
    ],
  },
  {
    usage: "fail",
    about: "a turn that fails",
    matches: ({ word }) => word === "fail",
    play: () => [say("I am about to fail."), { type: "fail", message: "the demo model was asked to fail" }],
  },
];

const plain: DemoScript = {
  usage: "(anything else)",
  about: "a short answer",
  matches: () => true,
  play: ({ prompt }) => [
    say(`Hello from the demo model. You said: ${quote(prompt)} Say "help" to see what I can do.`),
  ],
};

const help: DemoScript = {
  usage: "help",
  about: "this list",
  matches: ({ word }) => word === "help",
  play: (context) => [
    say(
      [
        "I am scripted. Begin a message with one of these:",
        ...[...toolScripts, ...talk, help].filter((script) => obstacleTo(script, context) === null).map(line),
        ...unavailableScripts(context),
      ].join("\n"),
    ),
  ],
};

function obstacleTo({ tool }: DemoScript, context: DemoContext): string | null {
  return tool === undefined ? null : context.obstacleTo(tool);
}

/** Help lines for scripts that cannot work in this thread, grouped by reason. */
function unavailableScripts(context: DemoContext): string[] {
  const byReason = new Map<string, string[]>();
  for (const script of toolScripts) {
    const reason = obstacleTo(script, context);
    if (reason !== null) byReason.set(reason, [...(byReason.get(reason) ?? []), `\`${script.usage}\``]);
  }
  return [...byReason].map(([reason, usages]) => `Not in this thread (${reason}): ${usages.join(", ")}.`);
}

const SCRIPTS: readonly DemoScript[] = [structured, ...toolScripts, ...talk, help];

export function findScript(context: DemoContext): DemoScript {
  return SCRIPTS.find((script) => script.matches(context)) ?? plain;
}

function line({ usage, about }: DemoScript): string {
  return `- \`${usage}\`: ${about}`;
}

function quote(prompt: string): string {
  if (prompt === "") return "nothing.";
  return `"${prompt.length > 120 ? `${prompt.slice(0, 120)}...` : prompt}".`;
}

function titleOf(prompt: string): string {
  return prompt.split("\n").at(-1)?.slice(0, 40) || "Demo";
}

/** The simplest value that conforms to a JSON schema, with the text for every string. */
function fillSchema(schema: unknown, text: string, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return null;
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  const { type } = schema;
  switch (Array.isArray(type) ? type[0] : type) {
    case "object": {
      const properties = isObject(schema["properties"]) ? schema["properties"] : {};
      return Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, fillSchema(inner, text, depth + 1)]),
      );
    }
    case "array":
      return [];
    case "string":
      return text;
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}
