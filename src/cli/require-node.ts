// Runs first, so that an outdated Node reports its version before it fails on an unknown feature. The file imports nothing
// and is compiled for a far older target than the rest of the program.

/** The minimum of `engines` in package.json, inlined by the build. */
declare const HEDDLE_OLDEST_NODE: string;

const [oldestMajor = 0, oldestMinor = 0] = HEDDLE_OLDEST_NODE.split(".").map(Number);
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  process.stderr.write(
    `Heddle needs Node ${HEDDLE_OLDEST_NODE} or newer; this is ${process.versions.node}. Install a newer Node and try again.\n`,
  );
  process.exit(1);
}
