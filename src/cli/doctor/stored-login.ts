/** Whether the home has a login of Codex, which is in its file `auth.json`. Heddle takes keys from the environment only. */
import { join } from "node:path";
import { isObject } from "../../base/json-object.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";

const MAX_BYTES = 1024 * 1024;

/** What to do about it, in a sentence; null where there is none. */
export async function describeStoredLogin(home: string): Promise<string | null> {
  const path = join(home, "auth.json");
  const read = await readRegularFile(path, { maxBytes: MAX_BYTES, from: "own" });
  const login = read.kind === "read" ? parse(read.bytes.toString("utf8")) : null;
  if (login === null) return null;
  const hasKey = typeof login["OPENAI_API_KEY"] === "string" && login["OPENAI_API_KEY"] !== "";
  if (hasKey)
    return `${path} has an API key of OpenAI, which Heddle does not read: OPENAI_API_KEY="$(jq -r .OPENAI_API_KEY '${path}')" passes it on.`;
  return isObject(login["tokens"])
    ? `${path} has a login of ChatGPT, which Heddle cannot use: it needs an API key.`
    : null;
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
