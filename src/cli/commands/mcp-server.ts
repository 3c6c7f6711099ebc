import { systemClock } from "../../base/clock.ts";
import { version } from "../../base/environment.ts";
import { openHeddle } from "../../server/heddle.ts";
import { serveMcp } from "../../server/mcp-server/serve-mcp.ts";
import { openStdio } from "../../transport/stdio.ts";
import type { Command } from "../command-line/command.ts";
import { globalOptions, readGlobalSettings } from "../command-line/options.ts";
import { logOptions, openLog } from "../serving/open-log.ts";
import { runUntilEnd } from "../serving/run-server.ts";
import { tuneV8 } from "../serving/v8-flags.ts";

export const mcpServer: Command = {
  options: [...logOptions, ...globalOptions],
  examples: [
    {
      command: "heddle mcp-server",
      description: "MCP on stdin and stdout, with the tools codex and codex-reply",
    },
    {
      command: "heddle mcp-server -c approval_policy=never",
      description: "The same, for clients that cannot be asked",
    },
  ],
  async run(args, chain) {
    const cwd = process.cwd();
    const log = openLog({ args, env: process.env, cwd });
    const heddle = await openHeddle({
      ...readGlobalSettings(...chain),
      env: process.env,
      cwd,
      log,
      onFirstUse: () => tuneV8(systemClock),
    });
    const transport = openStdio({
      input: process.stdin,
      output: process.stdout,
      limits: heddle.limits,
      log,
    });
    const ended = serveMcp({ transport, connect: heddle.connect, version, cwd, clock: systemClock, log });
    return runUntilEnd(heddle, log, ended);
  },
};
