import { homedir } from "node:os";
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { printable } from "../../base/printable.ts";
import { createUuidSource } from "../../base/uuid.ts";
import { openConfigSource } from "../../runtime/configuration/config-source.ts";
import { backUpHome } from "../../store/backup/back-up-home.ts";
import type { Command } from "../command-line/command.ts";
import { globalOptions, readGlobalSettings } from "../command-line/options.ts";
import { openProgress } from "../command-line/progress.ts";

const MEGABYTE = 1024 * 1024;

export const backup: Command = {
  details:
    "The copy is a complete home, which `HEDDLE_HOME=FOLDER heddle serve` serves. It includes keys and tokens that are stored in the home.",
  options: globalOptions,
  operands: "<FOLDER>",
  examples: [
    {
      command: "heddle backup /backups/heddle-monday",
      description: "Copy the home while servers keep running",
    },
    {
      command: "HEDDLE_HOME=/backups/heddle-monday heddle threads list",
      description: "See what is in it",
    },
  ],
  async run({ operands: [folder = ""] }, chain) {
    const createId = createUuidSource(systemClock);
    const where = { env: process.env, cwd: process.cwd(), userHome: homedir() };
    const { home } = await openConfigSource({ ...readGlobalSettings(...chain), ...where, createId });
    const progress = openProgress(process.stderr, () => Date.now());
    const target = resolve(folder);
    const { files, bytes, heldMs } = backUpHome({
      where: home,
      target,
      now: () => performance.now(),
      onFile: (count, path) => progress.count(count, path),
    });
    progress.end();
    const size = `${files} files, ${(bytes / MEGABYTE).toFixed(1)} MB`;
    process.stdout.write(
      `${printable(target)}: ${size}; the database was held for ${Math.ceil(heldMs)} ms\n`,
    );
    return 0;
  },
};
