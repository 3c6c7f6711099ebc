/** The finding about the provider of the model: whether it can be reached, and on demand whether the model answers. */

import { systemClock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { connectionErrorText } from "../../base/errors.ts";
import { createNetworkFetch } from "../../base/network/network-fetch.ts";
import type { Configuration } from "../../config/configuration.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { fixedHeaders, targetOf } from "../../model/http/to-http-request.ts";
import { createTokenSource } from "../../model/http/token-command.ts";
import { WIRES } from "../../model/providers/open-model.ts";
import type { ConfigOptions } from "../../runtime/configuration/config-source.ts";
import { orThrow } from "../../runtime/configuration/thread-refusal.ts";
import { chooseProvider } from "../../runtime/setup/provider-models.ts";
import type { Finding } from "./finding.ts";
import { describeStoredLogin } from "./stored-login.ts";
import { tryModel } from "./try-model.ts";

const REACH_TIMEOUT_MS = 3000;
const subject = "model provider";

export async function examineProvider(
  config: Configuration,
  { env, cwd }: ConfigOptions,
  { online }: { readonly online: boolean },
): Promise<Finding> {
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
  const { baseUrl } = provider;
  if (baseUrl === null) {
    return withStoredLogin(config.home, {
      subject,
      verdict: "advice",
      says: "none is configured: the built-in demo model answers",
      advice:
        "For a real model set OPENAI_API_KEY, or add [model_providers.<name>] and model_provider to config.toml.",
    });
  }
  const { apiKey, tokenCommand, name } = provider;
  if (provider.requiresOpenaiAuth && apiKey === null && tokenCommand === null) {
    const finding = { subject, verdict: "problem", says: `${name} needs a key` } as const;
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

/** A key that is there, and not where it is looked for, is what is missed most often. */
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
  return { subject, verdict: "problem", says: answer.message, advice };
}

/** Any answer, also a refusal, shows that the address is right and the network lets us through. */
async function reach(
  provider: ModelProvider,
  baseUrl: string,
  bearerToken: string | null,
  env: Environment,
): Promise<Finding> {
  const { name } = provider;
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
    if (status === 404 || status === 405) return withoutList(provider, baseUrl, status);
    return { subject, verdict: "ok", says: `${name} at ${baseUrl}` };
  } catch (error) {
    const cause = connectionErrorText(error instanceof Error ? (error.cause ?? error) : error);
    return { subject, verdict: "problem", says: `${name} at ${baseUrl} does not answer: ${cause}`, advice };
  }
}

/** Most who answer so are called at the wrong path; some have no list of their models, and work all the same. */
function withoutList({ name, wireApi }: ModelProvider, baseUrl: string, status: number): Finding {
  const says = `${name} at ${baseUrl} answers, but not to GET ${baseUrl}/models (${status})`;
  const end = /\/v\d+(?:beta)?$/u.exec(baseUrl) === null && wireApi !== "messages";
  const cause = end
    ? "The path of base_url is most likely wrong: for most providers it ends in /v1."
    : "Look at the path of base_url, unless this provider has no list of models.";
  return { subject, verdict: "advice", says, advice: cause };
}
