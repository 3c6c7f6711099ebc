/**
 * Runs handlers as a server does, and tells what a hook has said from what kept it from saying anything: a server that
 * does not start here, or a model that does not answer, says nothing about what a thread would do.
 */

import type { TriedResult, WorkbenchPorts } from "../../hooks/workbench/try-event.ts";
import type { Model } from "../../model/model.ts";
import type { McpServers } from "../../runtime/mcp/mcp-servers.ts";
import { type HookHandlersOptions, runHandler } from "../../runtime/setup/hook-handlers.ts";
import type { McpConnection } from "../../tools/mcp/mcp-connection.ts";
import { describeStartup } from "../../tools/mcp/server/server-failure.ts";

export interface WorkbenchHandlersOptions extends HookHandlersOptions {
  readonly mcp: () => Promise<Pick<McpServers, "find">>;
}

export function createWorkbenchHandlers(options: WorkbenchHandlersOptions): WorkbenchPorts["runHandler"] {
  const { threadId } = options;
  return async (hook, call): Promise<TriedResult> => {
    const { handler } = hook;
    let unreached: string | null = null;
    const result = await runHandler(hook, call, {
      ...options,
      async mcp() {
        const servers = await options.mcp();
        if (handler.type === "mcp_tool") {
          const connection = servers.find(threadId)?.find(handler.server)?.connection ?? null;
          unreached = await whyUnreached(handler.server, connection);
        }
        return servers;
      },
      async model() {
        return noting(await options.model(), (reason) => {
          unreached = `its model cannot be asked: ${reason}`;
        });
      },
    });
    return unreached === null || result.kind !== "failed" ? result : { kind: "notRun", reason: unreached };
  };
}

async function whyUnreached(server: string, connection: McpConnection | null): Promise<string | null> {
  if (connection === null)
    return `no MCP server is called ${server} in this configuration, or it is switched off`;
  const opened = await connection.ready();
  return opened.kind === "ready"
    ? null
    : `the MCP server ${server} does not start: ${describeStartup(opened.failure)}`;
}

/** The same model, with word of a request that fails. */
function noting(model: Model, onFailed: (reason: string) => void): Model {
  return {
    async *stream(request, signal) {
      for await (const events of model.stream(request, signal)) {
        for (const event of events) if (event.type === "failed") onFailed(event.error.message);
        yield events;
      }
    },
    close: () => model.close(),
  };
}
