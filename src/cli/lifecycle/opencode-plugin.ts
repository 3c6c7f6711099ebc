/** The plugin of OpenCode that hands its hooks to a program: what a plugin is told goes in, what it changes comes out. */

/** Complete, because OpenCode runs it in its own process, where nothing of this package need be installed. */
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

function change(output, { throw: refusal, set = {}, push = {}, append = {} }) {
  if (refusal !== undefined) throw new Error(refusal);
  for (const [name, value] of Object.entries(set)) output[name] = value;
  for (const [name, value] of Object.entries(push)) (output[name] ??= []).push(value);
  for (const [name, text] of Object.entries(append)) output[name] = output[name] ? \`\${output[name]}\\n\${text}\` : text;
}

async function run(hook, input, output) {
  const said = await ask({ hook, input, output });
  if (said.trim() !== "") change(output, JSON.parse(said));
}

export const HeddleLifecycle = async () => ({
  ...Object.fromEntries(CALLED.map((hook) => [hook, (input, output) => run(hook, input, output)])),
  event: async (input) => {
    const type = input.event?.type;
    if (BUS.includes(type)) await run(\`event:\${type}\`, input, {});
  },
});
`;
}
