// The first thing that the program does, so that a Node that is too old says so before it stumbles over what it does not
// know. It imports nothing, and is built for Nodes that are far older than those that can run the rest.

/** The oldest Node that `engines` of package.json allows; the build puts it in. */
declare const HEDDLE_OLDEST_NODE: string;

const [oldestMajor = 0, oldestMinor = 0] = HEDDLE_OLDEST_NODE.split(".").map(Number);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(
    `Heddle needs Node ${HEDDLE_OLDEST_NODE} or newer; this is ${process.versions.node}. Install a newer Node and try again.\n`,
  );
  process.exit(1);
}
