// Runs all `check:*` scripts of package.json side by side, because none of them keeps two cores busy alone. Each prints
// as a whole when it is over; the code is 1 where any failed.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
// Without npm in between, which takes longer to start than some of them run.
const env = {
  ...process.env,
  PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
  ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
};

const failed = await Promise.all(
  Object.entries(scripts)
    .filter(([name]) => name.startsWith("check:"))
    .map(([name, command]) => run(name, command)),
);
process.exitCode = failed.includes(true) ? 1 : 0;

/** Whether it failed. */
function run(name, command) {
  return new Promise((resolve) => {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    child.stdout.on("data", (part) => said.push(part));
    child.stderr.on("data", (part) => said.push(part));
    child.once("error", (error) => said.push(Buffer.from(`${error.message}\n`)));
    child.once("close", (code) => {
      const verdict = code === 0 ? "" : " failed";
      process.stdout.write(`> ${name}${verdict}: ${command}\n${Buffer.concat(said).toString("utf8")}`);
      resolve(code !== 0);
    });
  });
}
