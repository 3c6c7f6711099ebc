/** Files that clients read and write through the server: their paths, and the changes that clients watch. */
import type { Scenario, Step } from "../scenario.ts";
import { call, initialize, notification, refused, STDIO, settle } from "../steps.ts";

const watch = (watchId: string, path: string, as = `watch ${watchId}`) =>
  call("fs/watch", { watchId, path }, { as });
const write = (path: string): Step => ({ do: "write", path: `workspace/${path}`, text: `${path}\n` });
const changed = (watchId: string, ...names: string[]) =>
  notification("fs/changed", { watchId, changedPaths: names.map((name) => `{{workspace}}/${name}`) });
const remove = (name: string) =>
  call("fs/remove", { path: `{{workspace}}/${name}` }, { as: `remove ${name}` });

const gone = (name: string) => `{{workspace}}/gone/../${name}`;

export const fsWatchScenarios: readonly Scenario[] = [
  {
    name: "fs/paths",
    about: "A path with dots names what it leads to also where a folder on its way is not there.",
    transports: STDIO,
    steps: [
      initialize({}),
      call(
        "fs/writeFile",
        { path: gone("b.txt"), dataBase64: "aGk=" },
        { as: "write", expect: { result: {} } },
      ),
      call("fs/readFile", { path: "{{workspace}}/./b.txt/" }, { as: "read" }),
      call("fs/copy", { sourcePath: gone("b.txt"), destinationPath: gone("c.txt") }, { as: "copy" }),
      call("fs/remove", { path: gone("b.txt") }, { as: "remove" }),
      call("fs/createDirectory", { path: gone("d"), recursive: false }, { as: "create" }),
      call("fs/readFile", { path: gone("d") }, { as: "folder" }),
      call("fs/readDirectory", { path: gone("d/") }, { as: "list" }),
      { do: "read", path: "workspace/c.txt", as: "text", expect: "hi" },
    ],
  },
  {
    name: "fs-watch/file",
    about: "A watched file is told of when it is written, removed, made again and written again.",
    transports: STDIO,
    files: { "workspace/f": "1" },
    freeOrder: [["fs/changed", "response remove f"]],
    steps: [
      initialize({}),
      watch("w", "{{workspace}}/f"),
      write("f"),
      changed("w", "f"),
      write("other"),
      settle(400),
      remove("f"),
      changed("w", "f"),
      settle(300),
    ],
  },
  {
    name: "fs-watch/folder",
    about:
      "A watched folder is told of with its direct children, several at once, and not with what is below them.",
    transports: STDIO,
    files: { "workspace/d/inner/keep": "" },
    steps: [
      initialize({}),
      watch("w", "{{workspace}}/d/x/../", "watch with dots"),
      write("d/z"),
      write("d/a"),
      changed("w", "d/a", "d/z"),
      write("d/inner/y"),
      settle(400),
      call("fs/unwatch", { watchId: "w" }, { as: "unwatch" }),
      write("d/late"),
      settle(400),
    ],
  },
  {
    name: "fs-watch/missing",
    about: "What is not there yet can be watched, and is told of when it appears.",
    transports: STDIO,
    steps: [
      initialize({}),
      watch("w", "{{workspace}}/later"),
      write("later"),
      changed("w", "later"),
      write("later"),
      changed("w", "later"),
      settle(300),
    ],
  },
  {
    name: "fs-watch/names",
    about: "The name of a watch is the client's, once; a relative path is refused.",
    transports: STDIO,
    steps: [
      initialize({}),
      watch("w", "{{workspace}}"),
      refused("fs/watch", { watchId: "w", path: "{{home}}" }, "watchId already exists: w", "again"),
      refused(
        "fs/watch",
        { watchId: "r", path: "x/y" },
        "Invalid request: AbsolutePathBuf deserialized without a base path",
        "relative",
      ),
      call("fs/unwatch", { watchId: "unknown" }, { as: "unknown" }),
    ],
  },
];
