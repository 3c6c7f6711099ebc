/** The last parts of the names of requests that only look. */
const LOOKS = new Set([
  "diagnostics",
  "get",
  "getMetadata",
  "info",
  "list",
  "read",
  "readDirectory",
  "readFile",
  "search",
  "searchOccurrences",
]);
const OTHERS = new Set(["fuzzyFileSearch", "getAuthStatus", "getConversationSummary", "gitDiffToRemote"]);

/** Whether a request whose response was lost can be sent again: it changes nothing, or its key makes it count once. */
export function isRepeatable(method: string, params: unknown): boolean {
  if (method === "thread/queue/add") return hasKey(params);
  return LOOKS.has(method.slice(method.lastIndexOf("/") + 1)) || OTHERS.has(method);
}

function hasKey(params: unknown): boolean {
  const key = (params as { readonly clientUserMessageId?: unknown } | null)?.clientUserMessageId;
  return typeof key === "string" && key !== "";
}
