// The keys of `[[webhooks]]`. An entry with a mistake must not make the whole configuration invalid, so that values are
// accepted as they are here, and checked where webhooks are read.
import { flag, type Kind, later, listOf, text, tolerant } from "./kind.ts";
import { table, whenSet, withDefault } from "./table.ts";

/** Never shown, whatever it is. */
function hidden(label: string): Kind<unknown> {
  return { label, decode: (value, _path, reading) => (reading.form === "values" ? value : "[redacted]") };
}

/** Shown without user and password. */
function webhookUrl(): Kind<unknown> {
  return {
    label: "string",
    decode(value, _path, reading) {
      if (reading.form === "values" || typeof value !== "string") return value;
      return value.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, "$1");
    },
  };
}

const patterns = (doc: string) => withDefault(tolerant(listOf(text())), [], doc);

const filter = later(() =>
  table("WebhookFilter", {
    folders: patterns("Folders: threads that work in one of them or below."),
    names: patterns("Names of threads; `*` stands for any text."),
    sources: patterns("Sources of threads, such as `vscode`, `cli` or `exec`."),
  }),
);

const webhook = later(() =>
  table("Webhook", {
    url: whenSet(webhookUrl(), "Where events are sent: an `https` URL."),
    name: whenSet(
      tolerant(text()),
      "Names the endpoint in lists and commands; without it the name follows from the URL.",
    ),
    secret: whenSet(
      hidden("string | list of string"),
      "The secret that signs, `whsec_` and base64; two while it is being replaced.",
    ),
    secret_env: whenSet(
      hidden("string | list of string"),
      "The variable, or the two variables, of the server's environment that hold it.",
    ),
    events: whenSet(tolerant(listOf(text())), "The events that are sent; without it all of them."),
    filter: whenSet(tolerant(filter), "The threads whose events are sent: all given conditions hold."),
    allow_private: withDefault(
      tolerant(flag()),
      false,
      "Whether private and loopback addresses, and `http`, are allowed.",
    ),
  }),
);

export const webhooks = withDefault(
  tolerant(listOf(tolerant(webhook))),
  [],
  "Endpoints that are notified of events; read from the user's own config.toml only.",
  { unlisted: "unchanged" },
);
