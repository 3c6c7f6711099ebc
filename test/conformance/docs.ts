/** Writes the page that tells users how Heddle differs from the peer, from the same data that the run uses. */
import { markdownTable } from "../support/markdown-table.ts";
import type { DifferenceKind, MeantDifference, Omission } from "./differences.ts";
import { PEER_VERSION } from "./peer.ts";

const KINDS: Readonly<Record<DifferenceKind, string>> = {
  more: "says more",
  safer: "is stricter",
  identity: "is another program",
  omission: "leaves out",
  repair: "repairs",
  later: "does not yet",
};

export function compatibilityPage(
  differences: readonly MeantDifference[],
  omissions: readonly Omission[],
): string {
  return `# Compatibility

Heddle speaks the protocol of the Codex app-server ${PEER_VERSION}, the peer. \`npm run conformance\` plays the same
scenarios against the real peer and against Heddle and compares every message. This page is written from the list of
differences that the run accepts (\`test/conformance/differences.json\`, \`npm run conformance -- --docs\`); a difference
that is not listed here fails the run, and so does one that has gone away.

## Meant differences

${markdownTable(["Where", "Heddle", "Why"], differences.map(differenceRow))}

## What Heddle leaves out

${markdownTable(["What", "Why", "The peer's test modules about it"], omissions.map(omissionRow))}
`;
}

function differenceRow({ scenario, message, pointer, kind, reason }: MeantDifference): string[] {
  const where = [scenario === "**" ? "everywhere" : scenario, message, pointer].filter(
    (part) => part !== "" && part !== "**",
  );
  return [where.map((part) => `\`${part}\``).join(" "), KINDS[kind], reason];
}

function omissionRow({ what, reason, modules }: Omission): string[] {
  return [what, reason, modules.map((each) => `\`${each}\``).join(", ")];
}
