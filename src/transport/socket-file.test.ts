import { expect, test } from "vitest";
import { findSocketFile, socketFileIn } from "./socket-file.ts";

const TABLE = `Num       RefCount Protocol Flags    Type St Inode Path
000000005c85acb9: 00000003 00000000 00000000 0001 03 100
000000006baeaeb2: 00000002 00000000 00010000 0001 01 101 /run/heddle/alice.sock
000000006baeaeb3: 00000002 00000000 00010000 0001 01     7 /run/with space.sock
000000006baeaeb4: 00000002 00000000 00010000 0001 01 102 @abstract
000000006baeaeb5: 00000002 00000000 00010000 0001 01 103 /run/open.sock
000000006baeaeb6: 00000002 00000000 00010000 0001 01 104 /tmp/evil
000000006baeaeb5: 00000002 00000000 00010000 0001 01 103 /run/private.sock
`;

test.each<[inode: number, path: string | null, why: string]>([
  [101, "/run/heddle/alice.sock", "a file"],
  [7, "/run/with space.sock", "a name with a blank"],
  [100, null, "no name"],
  [102, null, "a name without a file"],
  [103, null, "a name that another process may have invented"],
  [10, null, "not there"],
])("the file of socket %d is %s: %s", (inode, path) => {
  expect(socketFileIn(TABLE, inode)).toBe(path);
});

test("there is no path without the socket table", () => {
  expect(findSocketFile(0, "/nowhere")).toBeNull();
  expect(findSocketFile(9999)).toBeNull();
});
