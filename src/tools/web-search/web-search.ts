/** Web search, which the provider runs itself: the request only enables it. */

export type WebSearchToolMode = "disabled" | "cached" | "indexed" | "live";

export interface WebSearchSettings {
  /** Null derives the mode from the sandbox. */
  readonly mode: WebSearchToolMode | null;
  readonly hasFullAccess: boolean;
  /** Whether images may be returned to the model. */
  readonly findsImages: boolean;
  readonly contextSize: "low" | "medium" | "high" | null;
  readonly allowedDomains: readonly string[] | null;
  readonly location: WebSearchToolLocation | null;
}

export interface WebSearchToolLocation {
  readonly country?: string | null;
  readonly region?: string | null;
  readonly city?: string | null;
  readonly timezone?: string | null;
}

/** The entry in a request's tools; null where the model may not search. */
export function webSearchSpec(settings: WebSearchSettings): Readonly<Record<string, unknown>> | null {
  const mode = settings.mode ?? (settings.hasFullAccess ? "live" : "cached");
  if (mode === "disabled") return null;
  const { allowedDomains, location, contextSize, findsImages } = settings;
  return {
    type: "web_search",
    external_web_access: mode !== "cached",
    ...(mode === "indexed" ? { indexed_web_access: true } : {}),
    ...(allowedDomains === null ? {} : { filters: { allowed_domains: allowedDomains } }),
    ...(location === null ? {} : { user_location: { type: "approximate", ...present(location) } }),
    ...(contextSize === null ? {} : { search_context_size: contextSize }),
    ...(findsImages ? { search_content_types: ["text", "image"] } : {}),
  };
}

function present(location: WebSearchToolLocation): WebSearchToolLocation {
  return Object.fromEntries(
    Object.entries(location).filter(([, value]) => value !== null && value !== undefined),
  );
}
