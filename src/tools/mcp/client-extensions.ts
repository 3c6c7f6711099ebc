/** The client's MCP extensions: for servers, and for answering their elicitations. */
import { isObject, type JsonObject } from "../../base/json-object.ts";

export interface ClientExtensions {
  /** Extensions announced to servers, with the client's own settings. */
  readonly forServers: ServerExtensions;
  /** The client lets its user fill in forms, also where the thread never requests permission. */
  readonly fillsForms: boolean;
}

export type ServerExtensions = Readonly<Record<string, JsonObject>>;

/** Forms beyond the MCP specification; a server sends them as requests with this name. */
export const OWN_FORM = "openai/form";
const PASSED_ON = ["io.modelcontextprotocol/ui", OWN_FORM];
const FORM_INPUT = "openai/standard-form-input";

export const NO_EXTENSIONS: ClientExtensions = { forServers: {}, fillsForms: false };

/** Older clients announce support for such forms with a separate capability. */
export function readClientExtensions(given: JsonObject | null, showsOwnForms: boolean): ClientExtensions {
  const all: JsonObject = { ...(showsOwnForms && { [OWN_FORM]: {} }), ...given };
  const passed = PASSED_ON.flatMap((name) => {
    const settings = all[name];
    return isObject(settings) ? [[name, settings] as const] : [];
  });
  return { forServers: Object.fromEntries(passed), fillsForms: all[FORM_INPUT] !== undefined };
}
