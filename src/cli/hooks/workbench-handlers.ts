/**
 * Runs handlers as a server does, and tells what a hook has said from what kept it from saying anything: a server that
 * does not start here, or a model that does not answer, says nothing about what a thread would do.
 */

import type { ThreadSettings } from "../../engine/state/settings.ts";
import { runHandler } from "../../hooks/run/run-handler.ts";
import type { TriedResult, WorkbenchPorts } from "../../hooks/workbench/try-event.ts";
import type { Model } from "../../model/model.ts";
import { createHandlerPorts, type HandlerPortsOptions } from "../../runtime/setup/handler-ports.ts";
import type { McpConnection } from "../../tools/mcp/mcp-connection.ts";
import { describeStartup } from "../../tools/mcp/server/server-failure.ts";

export function createWorkbenchHandlers(
  options: HandlerPortsOptions,
  settings: ThreadSettings,
): WorkbenchPorts["runHandler"] {
  const ports = createHandlerPorts(options, settings);
  return async (hook, call): Promise<TriedResult> => {
    let unreached: string | null = null;
    const result = await runHandler(hook, call, {
      ...ports,
      async mcpServer(name) {
        const connection = (await options.mcp()).find(options.threadId)?.find(name)?.connection ?? null;
        unreached = await whyUnreached(name, connection);
        return connection;
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
