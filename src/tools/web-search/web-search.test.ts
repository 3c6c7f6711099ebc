import { describe, expect, it } from "vitest";
import { type WebSearchSettings, webSearchSpec } from "./web-search.ts";

const PLAIN: WebSearchSettings = {
  mode: null,
  hasFullAccess: false,
  findsImages: false,
  contextSize: null,
  allowedDomains: null,
  location: null,
};

describe("web search", () => {
  it.each([
    ["disabled", null],
    ["cached", { type: "web_search", external_web_access: false }],
    ["indexed", { type: "web_search", external_web_access: true, indexed_web_access: true }],
    ["live", { type: "web_search", external_web_access: true }],
  ] as const)("is offered according to mode %s", (mode, spec) => {
    expect(webSearchSpec({ ...PLAIN, mode })).toStrictEqual(spec);
  });

  it("uses the live web only with full access", () => {
    const specs = [false, true].map((hasFullAccess) => webSearchSpec({ ...PLAIN, hasFullAccess }));
    expect(specs).toStrictEqual([
      { type: "web_search", external_web_access: false },
      { type: "web_search", external_web_access: true },
    ]);
  });

  it("forwards its configuration", () => {
    const settings: WebSearchSettings = {
      ...PLAIN,
      mode: "live",
      findsImages: true,
      contextSize: "high",
      allowedDomains: ["example.com"],
      location: { country: "DE", region: null, city: "Berlin", timezone: "Europe/Berlin" },
    };
    expect(webSearchSpec(settings)).toStrictEqual({
      type: "web_search",
      external_web_access: true,
      filters: { allowed_domains: ["example.com"] },
      user_location: { type: "approximate", country: "DE", city: "Berlin", timezone: "Europe/Berlin" },
      search_context_size: "high",
      search_content_types: ["text", "image"],
    });
  });
});
