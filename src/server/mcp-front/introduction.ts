/** What an MCP client says of itself when it initializes, as far as the app-server wants to know it. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { objectOf, textOf } from "../../store/lines/members.ts";

export interface Introduction {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly legacyApprovals: boolean;
  readonly experimentalApi: boolean;
  readonly elicitation: boolean;
}

export function readIntroduction(params: unknown): Introduction {
  const given = isObject(params) ? params : {};
  const info = objectOf(given, "clientInfo") ?? {};
  const capabilities = objectOf(given, "capabilities") ?? {};
  // The app-server passes the name on in a header.
  const name = (textOf(info, "name") ?? "").replaceAll(/[^\x20-\x7e]/gu, "_");
  return {
    clientInfo: { name: name === "" ? "mcp-client" : name, version: textOf(info, "version") ?? "0" },
    legacyApprovals: declares(capabilities, "legacyApprovals"),
    experimentalApi: declares(capabilities, "experimentalApi"),
    elicitation: objectOf(capabilities, "elicitation") !== null,
  };
}

/** MCP keeps a place for what is not its own, which SDKs let through; others put it beside the rest. */
function declares(capabilities: JsonObject, name: string): boolean {
  const extra = objectOf(capabilities, "experimental")?.[name];
  return capabilities[name] === true || extra === true || isObject(extra);
}
