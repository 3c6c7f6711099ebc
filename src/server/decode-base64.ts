export type DecodedBase64 =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Reads strict base64, padding included; Node's own reader takes anything. */
export function decodeBase64(text: string): DecodedBase64 {
  const strange = /[^A-Za-z0-9+/=]/.exec(text);
  if (strange !== null)
    return refuse(`Invalid symbol ${text.charCodeAt(strange.index)}, offset ${strange.index}.`);
  const padding = /^[^=]*(={0,2})$/.exec(text);
  if (padding === null || text.length % 4 !== 0) return refuse("Invalid padding");
  return { ok: true, bytes: Buffer.from(text, "base64") };
}

function refuse(reason: string): DecodedBase64 {
  return { ok: false, reason };
}
