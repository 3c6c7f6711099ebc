import { accessSync, constants, existsSync } from "node:fs";
import { systemClock } from "../../base/clock.ts";
import { type Environment, version } from "../../base/environment.ts";
import { AppError, messageOf, osErrorText } from "../../base/errors.ts";
import { createNetworkFetch } from "../../base/network/network-fetch.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { fixedHeaders, targetOf } from "../../model/http/to-http-request.ts";
import { createTokenSource } from "../../model/http/token-command.ts";
import { WIRES } from "../../model/providers/open-model.ts";
import { probeSandbox } from "../../sandbox/backends/open-sandbox.ts";
import { type ConfigOptions, openConfigSource } from "../../server/configuration/config-source.ts";
import { checkDatabase, databaseOf } from "../../store/open/home-maintenance.ts";
import { examineHistory } from "./examine-history.ts";
import { examineHooks } from "./examine-hooks.ts";
import type { Finding } from "./finding.ts";

export interface ExamineOptions {
  /** Repairs the history where it can be repaired. */
  readonly repair: boolean;
  /** Called with each file of the history before it is read. */
  readonly onFile?: (done: number, path: string) => void;
}

const REACH_TIMEOUT_MS = 3000;

/** Looks at everything that a server needs, one after the other, and goes on after a problem. */
export async function* examine(settings: ConfigOptions, options: ExamineOptions): AsyncGenerator<Finding> {
  yield { subject: "program", verdict: "ok", says: `Heddle ${version} on Node ${process.versions.node}` };
  let config: Configuration;
  try {
    config = await (await openConfigSource(settings)).get();
  } catch (error) {
    const says = messageOf(error);
    if (error instanceof AppError && error.code === "config.invalid")
      yield { subject: "configuration", verdict: "problem", says, advice: "Correct it on the command line." };
    else {
      const advice = "Set HEDDLE_HOME to a folder that you can write to.";
      yield { subject: "home", verdict: "problem", says, advice };
    }
    return;
  }
  yield examineHome(config.home);
  yield* examineConfig(config);
  yield* examineHooks(settings);
  yield await examineDatabase(config.home, options);
  yield* await examineHistory(config.home, options);
  yield await examineSandbox(settings.env);
  yield await examineProvider(config, settings);
}

function examineHome(home: string): Finding {
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return { subject: "home", verdict: "ok", says: home };
  } catch (error) {
    const says = `${home}: ${osErrorText(error)}`;
    return { subject: "home", verdict: "problem", says, advice: `Make it writable: chmod u+rwx ${home}` };
  }
}

async function* examineConfig(config: Configuration): AsyncGenerator<Finding> {
  const subject = "configuration";
  const report = await config.startup();
  if (!report.ok) {
    yield {
      subject,
      verdict: "problem",
      says: report.message,
      advice: `Correct it; the file is ${config.userFile}.`,
    };
    return;
  }
  for (const { summary, details } of report.warnings) {
    const broken = details !== null;
    const says = broken ? `${summary} ${details}` : summary;
    yield {
      subject,
      verdict: broken ? "problem" : "advice",
      says,
      ...(broken ? { advice: `Correct ${config.userFile}.` } : {}),
    };
  }
  if (report.warnings.length === 0) yield { subject, verdict: "ok", says: config.userFile };
}

async function examineDatabase(home: string, { repair }: ExamineOptions): Promise<Finding> {
  const subject = "database";
  const file = databaseOf(home);
  if (!repair && !existsSync(file)) return { subject, verdict: "ok", says: `${file}: none yet` };
  try {
    await checkDatabase({ home, repair });
    return { subject, verdict: "ok", says: file };
  } catch (error) {
    const advice =
      "Move it away to start with a new one; the list of threads is then made again from their files.";
    return { subject, verdict: "problem", says: `${file}: ${messageOf(error)}`, advice };
  }
}

async function examineSandbox(env: Environment): Promise<Finding> {
  const subject = "sandbox";
  const ability = await probeSandbox(env);
  switch (ability.kind) {
    case "bubblewrap":
      return { subject, verdict: "ok", says: `bubblewrap ${ability.version}` };
    case "seatbelt":
      return { subject, verdict: "ok", says: "Seatbelt" };
    case "none":
      return {
        subject,
        verdict: "advice",
        says: `commands cannot be confined: ${ability.reason}`,
        advice: ability.advice,
      };
  }
}

async function examineProvider(config: Configuration, { env, cwd }: ConfigOptions): Promise<Finding> {
  const subject = "model provider";
  const effective = await config.effective({ cwd });
  if (!effective.ok) {
    return {
      subject,
      verdict: "problem",
      says: effective.error.message,
      advice: `Correct ${config.userFile}.`,
    };
  }
  const resolved = resolveModelProvider(effective.value.values, { env });
  const advice = `Set it, or correct ${config.userFile}.`;
  if (!resolved.ok) return { subject, verdict: "problem", says: resolved.message, advice };
  const { provider } = resolved;
  if (provider.fault !== null) return { subject, verdict: "problem", says: provider.fault, advice };
  if (provider.baseUrl === null) {
    return {
      subject,
      verdict: "advice",
      says: "none is configured: the built-in demo model answers",
      advice:
        "For a real model set OPENAI_API_KEY, or add [model_providers.<name>] and model_provider to config.toml.",
    };
  }
  const { tokenCommand, baseUrl, apiKey } = provider;
  if (tokenCommand === null) return reach(provider, baseUrl, apiKey, env);
  const answer = await createTokenSource(tokenCommand, { clock: systemClock, env }).get();
  return answer.kind === "token"
    ? reach(provider, baseUrl, answer.token, env)
    : {
        subject,
        verdict: "problem",
        says: answer.message,
        advice: "Run it by hand, and log in if it asks you to.",
      };
}

/** Any answer, also a refusal, shows that the address is right and the network lets us through. */
async function reach(
  provider: ModelProvider,
  baseUrl: string,
  bearerToken: string | null,
  env: Environment,
): Promise<Finding> {
  const subject = "model provider";
  const { name, requiresOpenaiAuth } = provider;
  if (requiresOpenaiAuth && bearerToken === null) {
    return { subject, verdict: "problem", says: `${name} needs a key`, advice: "Set OPENAI_API_KEY." };
  }
  const target = targetOf({ ...provider, baseUrl }, "models");
  const advice = "Check base_url in config.toml, the network, and whether the server runs.";
  if (target === null) return { subject, verdict: "problem", says: `${baseUrl} is no http address`, advice };
  try {
    const { status } = await createNetworkFetch(env)(target.href, {
      headers: fixedHeaders({ ...provider, bearerToken }, WIRES[provider.wireApi]),
      signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
    });
    if (status === 401 || status === 403) {
      return {
        subject,
        verdict: "problem",
        says: `${name} refuses the key (${status})`,
        advice: "Check that it is the right one and has not expired.",
      };
    }
    return { subject, verdict: "ok", says: `${name} at ${baseUrl}` };
  } catch (error) {
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
    return { subject, verdict: "problem", says: `${name} at ${baseUrl} does not answer: ${cause}`, advice };
  }
}
