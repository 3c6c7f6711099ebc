/** Checks the model provider: whether it is reachable, and with `--online` whether the model answers. */

import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { connectionErrorText } from "../../base/errors.ts";
import { isObject } from "../../base/json-object.ts";
import { createNetworkFetch } from "../../base/network/network-fetch.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { fixedHeaders, targetOf } from "../../model/http/to-http-request.ts";
import { createTokenSource } from "../../model/http/token-command.ts";
import { WIRES } from "../../model/providers/open-model.ts";
import type { Host } from "../configuration/host.ts";
import { orThrow } from "../configuration/thread-refusal.ts";
import { chooseProvider } from "../setup/provider-models.ts";
import type { Finding } from "./finding.ts";
import { tryModel } from "./try-model.ts";

const REACH_TIMEOUT_MS = 3000;
const subject = "model provider";

export async function examineProvider(
  config: Configuration,
  { env, cwd }: Pick<Host, "env" | "cwd">,
  { online }: { readonly online: boolean },
): Promise<Finding> {
  const effective = await config.effective({ cwd });
  if (!effective.ok) {
    return {
      subject,
      verdict: "problem",
      message: effective.error.message,
      advice: `Correct ${config.userFile}.`,
    };
  }
  const resolved = resolveModelProvider(effective.value.values, { env });
  const advice = `Set it, or correct ${config.userFile}.`;
  if (!resolved.ok) return { subject, verdict: "problem", message: resolved.message, advice };
  const { provider } = resolved;
  if (provider.fault !== null) return { subject, verdict: "problem", message: provider.fault, advice };
  const { baseUrl } = provider;
  if (baseUrl === null) {
    return withStoredLogin(config.home, {
      subject,
      verdict: "advice",
      message: "none is configured: the built-in demo model answers",
      advice:
        "For a real model set OPENAI_API_KEY, or add [model_providers.<name>] and model_provider to config.toml.",
    });
  }
  const { apiKey, tokenCommand, name } = provider;
  if (provider.requiresOpenaiAuth && apiKey === null && tokenCommand === null) {
    const finding = { subject, verdict: "problem", message: `${name} needs a key` } as const;
    return withStoredLogin(config.home, { ...finding, advice: "Set OPENAI_API_KEY." });
  }
  const reached = await logInAndReach(provider, baseUrl, env);
  if (reached.verdict === "problem") return reached;
  if (!online) {
    const advice = "Whether the model answers: heddle doctor --online.";
    return { ...reached, advice: reached.advice === undefined ? advice : `${reached.advice} ${advice}` };
  }
  const { model } = orThrow(chooseProvider(effective.value, env));
  return { subject, ...(await tryModel({ ...provider, baseUrl }, model, { clock: systemClock, env })) };
}

/** Mentions a key in Codex's login file, because a key in the wrong place is the most common cause. */
async function withStoredLogin(
  home: string,
  finding: Finding & { readonly advice: string },
): Promise<Finding> {
  const login = await describeStoredLogin(home);
  return login === null ? finding : { ...finding, advice: `${finding.advice} ${login}` };
}

async function logInAndReach(provider: ModelProvider, baseUrl: string, env: Environment): Promise<Finding> {
  const { tokenCommand, apiKey } = provider;
  if (tokenCommand === null) return reach(provider, baseUrl, apiKey, env);
  const answer = await createTokenSource(tokenCommand, { clock: systemClock, env }).get();
  if (answer.kind === "token") return reach(provider, baseUrl, answer.token, env);
  const advice = "Run it by hand, and log in if it asks you to.";
  return { subject, verdict: "problem", message: answer.message, advice };
}

/** Any HTTP response, even a refusal, shows that the address is right and the network works. */
async function reach(
  provider: ModelProvider,
  baseUrl: string,
  bearerToken: string | null,
  env: Environment,
): Promise<Finding> {
  const { name } = provider;
  const target = targetOf({ ...provider, baseUrl }, "models");
  const advice = "Check base_url in config.toml, the network, and whether the server runs.";
  if (target === null)
    return { subject, verdict: "problem", message: `${baseUrl} is no http address`, advice };
  try {
    const { status } = await createNetworkFetch(env)(target.href, {
      headers: fixedHeaders({ ...provider, bearerToken }, WIRES[provider.wireApi]),
      signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
    });
    if (status === 401 || status === 403) {
      return {
        subject,
        verdict: "problem",
        message: `${name} refuses the key (${status})`,
        advice: "Check that it is the right one and has not expired.",
      };
    }
    if (status === 404 || status === 405) return withoutList(provider, baseUrl, status);
    return { subject, verdict: "ok", message: `${name} at ${baseUrl}` };
  } catch (error) {
    const cause = connectionErrorText(error instanceof Error ? (error.cause ?? error) : error);
    return {
      subject,
      verdict: "problem",
      message: `${name} at ${baseUrl} does not answer: ${cause}`,
      advice,
    };
  }
}

/** The path of the address is usually wrong; but some providers work without a list of models. */
function withoutList({ name, wireApi }: ModelProvider, baseUrl: string, status: number): Finding {
  const message = `${name} at ${baseUrl} answers, but not to GET ${baseUrl}/models (${status})`;
  const end = /\/v\d+(?:beta)?$/u.exec(baseUrl) === null && wireApi !== "messages";
  const cause = end
    ? "The path of base_url is most likely wrong: for most providers it ends in /v1."
    : "Look at the path of base_url, unless this provider has no list of models.";
  return { subject, verdict: "advice", message, advice: cause };
}

const MAX_LOGIN_BYTES = 1024 * 1024;

/**
 * Describes the login in Codex's `auth.json` and its use; null without one. Heddle reads keys from the environment
 * only.
 */
async function describeStoredLogin(home: string): Promise<string | null> {
  const path = join(home, "auth.json");
  const read = await readRegularFile(path, { maxBytes: MAX_LOGIN_BYTES, from: "own" });
  const login = read.kind === "read" ? parseLogin(read.bytes.toString("utf8")) : null;
  if (login === null) return null;
  const hasKey = typeof login["OPENAI_API_KEY"] === "string" && login["OPENAI_API_KEY"] !== "";
  if (hasKey)
    return `${path} has an API key of OpenAI, which Heddle does not read: OPENAI_API_KEY="$(jq -r .OPENAI_API_KEY '${path}')" passes it on.`;
  return isObject(login["tokens"])
    ? `${path} has a login of ChatGPT, which Heddle cannot use: it needs an API key.`
    : null;
}

function parseLogin(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
