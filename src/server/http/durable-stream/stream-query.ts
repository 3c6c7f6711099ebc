export type StreamMode = "catch-up" | "long-poll" | "sse";

/** Where to read from. */
export type StreamStart =
  | { readonly kind: "start" }
  | { readonly kind: "tail" }
  /** The form of the text is known to the log only. */
  | { readonly kind: "offset"; readonly text: string };

export type StreamQuery =
  | {
      readonly kind: "read";
      readonly from: StreamStart;
      readonly mode: StreamMode;
      /** The cursor of an earlier answer. */
      readonly cursor: string | null;
    }
  | { readonly kind: "malformed"; readonly reason: string };

/** Parses the query of a read; parameters that the protocol does not know are ignored. */
export function parseStreamQuery(query: string): StreamQuery {
  const params = new URLSearchParams(query);
  const repeated = ["offset", "live", "cursor"].find((name) => params.getAll(name).length > 1);
  if (repeated !== undefined) return malformed(`there is more than one \`${repeated}\``);
  const [offset, live] = [params.get("offset"), params.get("live")];
  if (offset === "") return malformed("`offset` is empty");
  if (live !== null && live !== "long-poll" && live !== "sse")
    return malformed("`live` is `long-poll` or `sse`");
  if (live !== null && offset === null) return malformed("`live` needs an `offset`");
  return { kind: "read", from: parseStart(offset), mode: live ?? "catch-up", cursor: params.get("cursor") };
}

function parseStart(offset: string | null): StreamStart {
  if (offset === null || offset === "-1") return { kind: "start" };
  return offset === "now" ? { kind: "tail" } : { kind: "offset", text: offset };
}

function malformed(reason: string): StreamQuery {
  return { kind: "malformed", reason };
}
