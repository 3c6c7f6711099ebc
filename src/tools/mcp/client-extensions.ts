/** What a client can do for MCP servers and for those who answer their questions, beyond the protocol of MCP. */
import { isObject, type JsonObject } from "../../base/json-object.ts";

export interface ClientExtensions {
  /** What servers are told of, with the client's own settings. */
  readonly forServers: ServerExtensions;
  /** The client lets its user fill in forms, also where a thread asks nobody for permission. */
  readonly fillsForms: boolean;
}

export type ServerExtensions = Readonly<Record<string, JsonObject>>;

/** Forms with more than the protocol knows; a server sends them as requests of this name. */
export const OWN_FORM = "openai/form";
const PASSED_ON = ["io.modelcontextprotocol/ui", OWN_FORM];
const FORM_INPUT = "openai/standard-form-input";

export const NO_EXTENSIONS: ClientExtensions = { forServers: {}, fillsForms: false };

/** Older clients say with a capability of its own that they show such forms. */
export function readClientExtensions(given: JsonObject | null, showsOwnForms: boolean): ClientExtensions {
  const all: JsonObject = { ...(showsOwnForms && { [OWN_FORM]: {} }), ...given };
  const passed = PASSED_ON.flatMap((name) => {
    const settings = all[name];
    return isObject(settings) ? [[name, settings] as const] : [];
  });
  return { forServers: Object.fromEntries(passed), fillsForms: all[FORM_INPUT] !== undefined };
}
