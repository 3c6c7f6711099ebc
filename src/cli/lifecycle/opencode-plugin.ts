/**
 * The source of an OpenCode plugin that forwards its hooks to a program and applies the answer. It is self-contained,
 * because OpenCode runs it in its own process, without this package.
 */
export function opencodePlugin(command: string, hooks: readonly string[]): string {
  const bus = hooks.flatMap((hook) => (hook.startsWith("event:") ? [hook.slice("event:".length)] : []));
  const called = hooks.filter((hook) => !hook.startsWith("event:"));
  return `// Written by \`heddle lifecycle install opencode\`; \`heddle lifecycle uninstall opencode\` takes it away.
import { spawn } from "node:child_process";

const COMMAND = ${JSON.stringify(command)};
const CALLED = ${JSON.stringify(called)};
const BUS = ${JSON.stringify(bus)};
const MAX_BYTES = 1 << 20;
const TIMEOUT_MS = 60_000;

function ask(told) {
  return new Promise((resolve, reject) => {
    const child = spawn(COMMAND, { shell: true, stdio: ["pipe", "pipe", "inherit"], timeout: TIMEOUT_MS });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      if (said.length < MAX_BYTES) said += text;
    });
    child.stdin.on("error", () => {});
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(said) : reject(new Error(\`the hook \${COMMAND} ended with code \${code}\`)),
    );
    child.stdin.end(JSON.stringify(told));
  });
}

function change(output, { throw: refusal, set = {}, assign = {}, push = {}, part, append = {} }) {
  if (refusal !== undefined) throw new Error(refusal);
  for (const [name, value] of Object.entries(set)) output[name] = value;
  // OpenCode holds on to the object, and looks at nothing that takes its place.
  for (const [name, value] of Object.entries(assign)) {
    const held = (output[name] ??= {});
    for (const old of Object.keys(held)) delete held[old];
    Object.assign(held, value);
  }
  for (const [name, value] of Object.entries(push)) (output[name] ??= []).push(value);
  if (part !== undefined) {
    const parts = (output.parts ??= []);
    const id = \`\${parts.at(-1)?.id ?? "prt"}_heddle\`;
    parts.push({ ...part, id, sessionID: output.message?.sessionID, messageID: output.message?.id });
  }
  for (const [name, text] of Object.entries(append)) output[name] = output[name] ? \`\${output[name]}\\n\${text}\` : text;
}

async function run(hook, input, output, more) {
  const said = await ask({ hook, input, output, ...more });
  if (said.trim() !== "") change(output, JSON.parse(said));
}

// Sessions of agents, by the session that they work for, and sessions whose end was told of. Both forget the oldest.
const parents = new Map();
const ended = new Map();
const MOST_SESSIONS = 1000;

function remember(sessions, id, value) {
  sessions.set(id, value);
  if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value);
}

// Whether a program is to hear of it. The end of one prompt comes up to three times, and a part of a message with each word.
function isNews(type, { sessionID, info, part, status }) {
  if (type === "session.created" && info?.parentID !== undefined) remember(parents, info.id, info.parentID);
  if (type === "session.status" && status?.type === "busy") ended.delete(sessionID);
  if (!BUS.includes(type)) return false;
  if (type === "message.part.updated") return part?.type === "tool" && part.state?.status === "error";
  if (type !== "session.idle" && type !== "session.error") return true;
  if (ended.has(sessionID)) return false;
  remember(ended, sessionID, true);
  return true;
}

export const HeddleLifecycle = async () => ({
  ...Object.fromEntries(CALLED.map((hook) => [hook, (input, output) => run(hook, input, output)])),
  event: async (input) => {
    const { type, properties = {} } = input.event ?? {};
    if (!isNews(type, properties)) return;
    const parentID = parents.get(properties.sessionID);
    await run(\`event:\${type}\`, input, {}, parentID === undefined ? {} : { parentID });
  },
});
`;
}
