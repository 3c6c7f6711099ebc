/** Writes the page that tells users how Heddle differs from the peer, from the same data that the run uses. */

import { markdownTable } from "../../src/base/markdown-table.ts";
import { unservedMethods } from "../../src/server/connections/unserved-methods.ts";
import {
  type Addition,
  additions,
  type DifferenceKind,
  type MeantDifference,
  meantDifferences,
  type Omission,
  omissions,
} from "./differences.ts";
import { PEER_VERSION } from "./peer.ts";

const KINDS: Readonly<Record<DifferenceKind, string>> = {
  more: "says more",
  safer: "is stricter",
  identity: "is another program",
  omission: "leaves out",
  repair: "repairs",
  later: "does not yet",
};

export type Compatibility = {
  readonly additions: readonly Addition[];
  readonly differences: readonly MeantDifference[];
  readonly omissions: readonly Omission[];
  /** Methods of the protocol that are refused, with the reason. */
  readonly unserved: Readonly<Record<string, string>>;
};

export const compatibility: Compatibility = {
  additions,
  differences: meantDifferences,
  omissions,
  unserved: unservedMethods,
};

export function compatibilityPage({
  additions: added,
  differences,
  omissions,
  unserved,
}: Compatibility): string {
  return `# Compatibility

Heddle speaks the protocol of the Codex app-server ${PEER_VERSION}, the peer. \`npm run conformance\` plays the same
scenarios against the real peer and against Heddle and compares every message. This page is written from the list of
differences that the run accepts (\`test/conformance/differences.json\`, \`npm run conformance -- --docs\`); a difference
that is not listed here fails the run, and so does one that has gone away.

## What Heddle adds everywhere

These members are left out of the comparison. A client that does not know them loses nothing by ignoring them.

${markdownTable(
  ["Member", "What it says"],
  added.map(({ pointer, reason }) => [`\`${pointer}\``, reason]),
)}

## Meant differences

${markdownTable(["Where", "Heddle", "Why"], differences.map(differenceRow))}

## Methods that are not served

They are part of the protocol and their params are checked. Then they are answered with \`-32601\` and
\`<method> is not supported by heddle\`, so that no client waits.

${markdownTable(["Method", "Why"], unservedRows(unserved))}

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

/** Methods that are refused for one reason share a row. */
function unservedRows(unserved: Compatibility["unserved"]): string[][] {
  const reasons = [...new Set(Object.values(unserved))];
  return reasons.map((reason) => {
    const methods = Object.keys(unserved).filter((method) => unserved[method] === reason);
    return [
      methods.map((method) => `\`${method}\``).join(", "),
      `${reason[0]?.toUpperCase()}${reason.slice(1)}.`,
    ];
  });
}

function omissionRow({ what, reason, modules }: Omission): string[] {
  return [what, reason, modules.map((each) => `\`${each}\``).join(", ")];
}
