/** Reads `[[webhooks]]` of the user's own configuration. An entry with a mistake is left out, and the fault names its key. */
import { createHash } from "node:crypto";
import type { Environment } from "../../base/environment.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { refusePrivateHost } from "../../base/network/public-address.ts";
import { secretFault } from "./sign-webhook.ts";
import { isWebhookEvent, WEBHOOK_EVENTS, type WebhookEventType } from "./webhook-events.ts";

export interface WebhookEndpoint {
  /** Its name, or else derived from its URL. */
  readonly id: string;
  readonly url: URL;
  /** One, or two while one replaces the other. */
  readonly secrets: readonly string[];
  /** Null for all events. */
  readonly events: ReadonlySet<WebhookEventType> | null;
  readonly filter: WebhookFilter;
  readonly allowsPrivate: boolean;
}

export interface WebhookFilter {
  readonly folders: readonly string[];
  readonly names: readonly string[];
  readonly sources: readonly string[];
}

export interface Webhooks {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly faults: readonly string[];
}

export const NO_WEBHOOKS: Webhooks = { endpoints: [], faults: [] };

/** Further entries are left out. */
export const MAX_WEBHOOKS = 16;
/** Entries of one list. */
const MAX_LIST = 64;
const MAX_SECRETS = 2;

/** Without an environment, variables of secrets are not looked at, and their endpoints have no secret. */
export function readWebhooks(value: unknown, env: Environment | null): Webhooks {
  if (value === undefined) return NO_WEBHOOKS;
  if (!Array.isArray(value))
    return { endpoints: [], faults: ["`webhooks` must be a list: use `[[webhooks]]`"] };
  const endpoints = new Map<string, WebhookEndpoint>();
  const faults: string[] = [];
  for (const [at, entry] of value.slice(0, MAX_WEBHOOKS).entries()) {
    const read = readEntry(entry, env);
    if (read.kind === "fault") faults.push(`\`webhooks[${at}]${read.key}\` ${read.message}`);
    else if (endpoints.has(read.endpoint.id))
      faults.push(
        `\`webhooks[${at}]\` has the name or the URL of an earlier entry: give it a \`name\` of its own`,
      );
    else endpoints.set(read.endpoint.id, read.endpoint);
  }
  if (value.length > MAX_WEBHOOKS) faults.push(`\`webhooks\` has more than ${MAX_WEBHOOKS} entries`);
  return { endpoints: [...endpoints.values()], faults };
}

interface Fault {
  readonly kind: "fault";
  /** With its dot; empty for the entry as a whole. */
  readonly key: string;
  readonly message: string;
}

const fault = (key: string, message: string): Fault => ({
  kind: "fault",
  key: key === "" ? "" : `.${key}`,
  message,
});

const isFault = (value: unknown): value is Fault => isObject(value) && value["kind"] === "fault";

const KEYS = new Set(["url", "name", "secret", "secret_env", "events", "filter", "allow_private"]);

function readEntry(
  entry: unknown,
  env: Environment | null,
): { readonly kind: "read"; readonly endpoint: WebhookEndpoint } | Fault {
  if (!isObject(entry)) return fault("", "must be a table");
  // A misspelt filter would send more than its user wants.
  const unknown = Object.keys(entry).find((key) => !KEYS.has(key));
  if (unknown !== undefined) return fault(unknown, "is not a known key");
  const { allow_private: allowsPrivate = false } = entry;
  if (typeof allowsPrivate !== "boolean") return fault("allow_private", "must be true or false");
  const url = readUrl(entry["url"], allowsPrivate);
  if (isFault(url)) return url;
  const id = readId(entry["name"], url);
  if (isFault(id)) return id;
  const secrets = readSecrets(entry, env);
  if (isFault(secrets)) return secrets;
  const events = readEvents(entry["events"]);
  if (isFault(events)) return events;
  const filter = readFilter(entry["filter"]);
  if (isFault(filter)) return filter;
  return { kind: "read", endpoint: { id, url, secrets, events, filter, allowsPrivate } };
}

function readUrl(value: unknown, allowsPrivate: boolean): URL | Fault {
  if (typeof value !== "string") return fault("url", "must be a URL");
  if (!URL.canParse(value)) return fault("url", "is not a URL");
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return fault("url", "must begin with `https://`");
  if (allowsPrivate) return url;
  if (url.protocol === "http:")
    return fault("url", "must begin with `https://`, unless `allow_private` is true");
  const refused = refusePrivateHost(url.hostname);
  if (refused !== null) return fault("url", `${refused.message}: it needs \`allow_private = true\``);
  return url;
}

function readId(name: unknown, url: URL): string | Fault {
  if (name === undefined) return `hook_${createHash("sha256").update(url.href).digest("hex").slice(0, 12)}`;
  if (typeof name === "string" && /^[\w-]{1,64}$/u.test(name)) return name;
  return fault("name", "must have 1 to 64 letters, digits, `_` and `-`");
}

function readSecrets(entry: JsonObject, env: Environment | null): readonly string[] | Fault {
  const { secret, secret_env: variable } = entry;
  if (secret !== undefined && variable !== undefined)
    return fault("secret_env", "cannot be used with `secret`");
  if (secret === undefined && variable === undefined) return fault("secret", "is missing");
  const key = secret === undefined ? "secret_env" : "secret";
  const given: unknown[] = [secret ?? variable].flat();
  if (given.length === 0 || given.length > MAX_SECRETS) return fault(key, "must have one or two entries");
  const texts = given.filter((each) => typeof each === "string");
  if (texts.length < given.length) return fault(key, "must be a string, or a list of two");
  if (key === "secret_env") return env === null ? [] : readVariables(texts, env);
  const wrong = texts.map(secretFault).find((found) => found !== null);
  return wrong === undefined ? texts : fault(key, wrong ?? "");
}

/** Messages name no variable, because a secret may have been written in its place. */
function readVariables(names: readonly string[], env: Environment): readonly string[] | Fault {
  const secrets: string[] = [];
  for (const name of names) {
    const value = env[name] ?? "";
    if (value === "") return fault("secret_env", "names a variable that is not set");
    const wrong = secretFault(value);
    if (wrong !== null) return fault("secret_env", `names a variable whose value ${wrong}`);
    secrets.push(value);
  }
  return secrets;
}

function readEvents(value: unknown): ReadonlySet<WebhookEventType> | null | Fault {
  if (value === undefined) return null;
  const events = readTexts(value);
  if (events === null) return fault("events", "must be a list of strings");
  const known = Object.keys(WEBHOOK_EVENTS).map((type) => `\`${type}\``);
  const unknown = events.find((type) => !isWebhookEvent(type));
  if (unknown !== undefined)
    return fault(
      "events",
      `has the unknown event ${JSON.stringify(unknown.slice(0, 64))}, expected ${known.join(", ")}`,
    );
  return new Set(events.filter(isWebhookEvent));
}

const FILTER_KEYS = ["folders", "names", "sources"] as const;

function readFilter(value: unknown = {}): WebhookFilter | Fault {
  if (!isObject(value)) return fault("filter", "must be a table");
  const unknown = Object.keys(value).find((key) => !FILTER_KEYS.some((known) => known === key));
  if (unknown !== undefined) return fault(`filter.${unknown}`, "is not a known key");
  const lists: Record<keyof WebhookFilter, readonly string[]> = { folders: [], names: [], sources: [] };
  for (const key of FILTER_KEYS) {
    const texts = readTexts(value[key] ?? []);
    if (texts === null) return fault(`filter.${key}`, `must be a list of up to ${MAX_LIST} strings`);
    lists[key] = texts;
  }
  const relative = lists.folders.find((folder) => !folder.startsWith("/"));
  if (relative !== undefined) return fault("filter.folders", "must have absolute paths");
  return lists;
}

function readTexts(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > MAX_LIST) return null;
  return value.every((each): each is string => typeof each === "string") ? value : null;
}
