/** Makes a recording ready for the model: a data URL that says what it holds, or a word about why there is none. */

/** The largest recording that a provider is sent. */
export const MAX_AUDIO_BYTES = 25 * 1024 * 1024;

/** By the end of a file's name. */
export const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  [".wav", "audio/wav"],
  [".mp3", "audio/mpeg"],
  [".m4a", "audio/mp4"],
  [".webm", "audio/webm"],
  [".ogg", "audio/ogg"],
]);

export type PreparedAudio =
  | { readonly kind: "audio"; readonly url: string }
  /** What the model is told in its place. */
  | { readonly kind: "omitted"; readonly text: string };

const KNOWN = /^(?:audio|video)\/(?:x-)?(?:wav|wave|mpeg|mp3|mp4|m4a|webm|ogg)$/i;

export function prepareAudio(url: string): PreparedAudio {
  const match = /^data:([^,;]*)((?:;[^,;]*)*),/i.exec(url);
  const encoded = match === null ? "" : url.slice(match[0].length);
  const [, type = "", parameters = ""] = match ?? [];
  if (!/;base64(?:;|$)/i.test(parameters) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
    return omit("it could not be processed");
  }
  if (!KNOWN.test(type)) return omit("its format is not supported; use wav, mp3, m4a, webm, or ogg");
  if (Buffer.byteLength(encoded, "base64") > MAX_AUDIO_BYTES) {
    return omit("it exceeded the supported size limit; use a smaller audio file");
  }
  return { kind: "audio", url };
}

function omit(reason: string): PreparedAudio {
  return { kind: "omitted", text: `audio content omitted because ${reason}` };
}
