/** Where a link of a message may lead: to pages and to mail. */
export interface SafeLink {
  readonly href: string;
  /** Shown beside the text, which may say something else. */
  readonly host: string;
}

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Null for an address that must not be followed. */
export function safeLink(href: string): SafeLink | null {
  if (!URL.canParse(href)) return null;
  const url = new URL(href);
  if (!SCHEMES.has(url.protocol)) return null;
  return { href: url.href, host: url.protocol === "mailto:" ? "mail" : url.host };
}
