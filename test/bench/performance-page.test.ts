import { describe, expect, test } from "vitest";
import { replaceSection } from "./performance-page.ts";

const peer = "Words about the peer.\n\n### A part\n\nWith a table.";
const growth = "Words about growth.";

describe("the page about performance", () => {
  test("begins with one section, whichever is written first", () => {
    expect(replaceSection("", "Growth", growth)).toBe(`# Performance\n\n## Growth\n\n${growth}\n`);
  });

  test("has its sections in one order, and keeps what another program wrote", () => {
    const whole = `# Performance\n\n## Beside the peer\n\n${peer}\n\n## Growth\n\n${growth}\n`;
    const either = replaceSection(replaceSection("", "Growth", growth), "Beside the peer", peer);
    const other = replaceSection(replaceSection("", "Beside the peer", peer), "Growth", growth);
    expect([either, other]).toEqual([whole, whole]);
  });

  test("has a section once, in its latest words", () => {
    const page = replaceSection(replaceSection("", "Beside the peer", peer), "Growth", "Old words.");
    const again = replaceSection(replaceSection(page, "Growth", growth), "Beside the peer", peer);
    expect(again).toBe(replaceSection(replaceSection("", "Beside the peer", peer), "Growth", growth));
  });
});
