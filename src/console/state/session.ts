/** How the page is let in: a ticket or a pairing code from the address becomes a cookie that scripts cannot read. */

export type Admission =
  /** The server asks for nothing, or knows this browser. */
  | { readonly kind: "known" }
  | { readonly kind: "admitted" }
  | { readonly kind: "refused"; readonly reason: string };

const PARAMETERS = ["ticket", "pair"] as const;

/** Takes the secret out of the address before anything else can read it, and exchanges it. */
export async function enter(): Promise<Admission> {
  const given = new URLSearchParams(location.hash.slice(1));
  const name = PARAMETERS.find((each) => given.has(each));
  if (name === undefined) return { kind: "known" };
  history.replaceState(null, "", location.pathname + location.search);
  const response = await fetch("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ticket: given.get(name) }),
    credentials: "same-origin",
  });
  if (response.ok) return { kind: "admitted" };
  return { kind: "refused", reason: (await response.text()).slice(0, 300) };
}

/** The address of the server that this page came from. */
export function serverAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`;
}
