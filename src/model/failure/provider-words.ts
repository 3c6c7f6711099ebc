/** What a provider says of a request that it refuses, in one line for people, and what they can do about it. */
import { printable } from "../../base/printable.ts";
import type { ProviderError } from "./provider-error.ts";

const MAX_LENGTH = 1000;

/** The provider's own words, or else the beginning of what it sent; never empty. */
export function wordsOf(error: ProviderError | null, body: string): string {
  // Cut before it is searched, because a body may be long.
  const given = (error?.message?.trim() || titleOf(body) || body.trim()).slice(0, 4 * MAX_LENGTH);
  const text = printable(given.replaceAll(/\s+/gu, " ")).trim();
  if (text === "") return "Unknown error";
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH).replace(HALF, "")}...`;
}

/** Half a character is none that a client would take. */
const HALF = /[\ud800-\udbff]$/;

/** What a page is called that a server in between has answered with. */
function titleOf(body: string): string | null {
  return /<title>([^<]{1,200})</i.exec(body.slice(0, 4 * MAX_LENGTH))?.[1]?.trim() || null;
}

interface Refusal {
  readonly status: number;
  readonly url: string;
  readonly error: ProviderError | null;
}

/** What to do, after a semicolon; nothing where the words say it. */
export function adviceFor(refusal: Refusal, providerId: string): string {
  const advice = findAdvice(refusal, `the model provider \`${providerId}\``);
  return advice === null ? "" : `; ${advice}`;
}

function findAdvice({ status, url, error }: Refusal, provider: string): string | null {
  switch (status) {
    case 401:
      return `check the key of ${provider}`;
    case 402:
      return "add credit to the account";
    case 403:
      return "check what the key may be used for, and from where";
    case 404:
    case 405:
      if (/\bmodel\b/i.test(error?.message ?? ""))
        return "check `model`, or ask the provider which ones it has";
      return pathOf(url).endsWith("/responses")
        ? `${provider} may have no Responses API: try \`wire_api = "chat"\`, or correct base_url`
        : `check base_url and wire_api of ${provider}`;
    case 429:
      return "wait, or ask the provider for a higher limit";
    default:
      return null;
  }
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
