// The environments in which commands run.

import { request, shared } from "./row.ts";
import { define, nullable, object, string } from "./shape.ts";

export const EnvironmentInfoParams = define("EnvironmentInfoParams", object({ environmentId: string() }));
export const EnvironmentShellInfo = define(
  "EnvironmentShellInfo",
  object({ name: string(), path: string() }),
);
export const EnvironmentInfoResponse = define(
  "EnvironmentInfoResponse",
  object({ shell: EnvironmentShellInfo, cwd: nullable(string()) }),
);

export const environmentRequests = {
  "environment/info": request({
    summary: "Reads the shell and the folder of an environment.",
    stability: "experimental",
    scope: "read",
    params: EnvironmentInfoParams,
    result: EnvironmentInfoResponse,
    order: shared("environment"),
    idempotent: true,
  }),
};
