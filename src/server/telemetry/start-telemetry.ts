/** Looks whether anybody wants to hear of what the server does; nothing else of telemetry is loaded where nobody does. */
import type { Environment } from "../../base/environment.ts";
import { logFailure } from "../../base/tasks.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { Telemetry, TelemetryOptions } from "./open-telemetry.ts";

interface StartOptions extends Omit<TelemetryOptions, "otel"> {
  readonly config: ConfigSource;
}

/** Null where nobody asks for it, or it cannot be had. Never rejects: nobody is to wait for a collector. */
export async function startTelemetry({ config, ...options }: StartOptions): Promise<Telemetry | null> {
  try {
    const effective = await (await config.get()).effective();
    const otel = effective.ok ? effective.value.values.otel : null;
    if (otel === null && !namesCollector(options.env)) return null;
    const { openTelemetry } = await import("./open-telemetry.ts");
    return await openTelemetry({ ...options, otel });
  } catch (error) {
    logFailure(options.log, "opening telemetry", error);
    return null;
  }
}

function namesCollector(env: Environment): boolean {
  return ["", "TRACES_", "METRICS_"].some((signal) => Boolean(env[`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`]));
}
