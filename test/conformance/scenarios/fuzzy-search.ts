/** Finding files by something like their path. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, notification, STDIO } from "../steps.ts";

const FILES = {
  "workspace/abc": "",
  "workspace/abcde": "",
  "workspace/abexy": "",
  "workspace/sub/abce": "",
  "workspace/.hidden/abe.txt": "",
  "workspace/src/AbeTest.ts": "",
  "workspace/src/lib/my-abe.ts": "",
  "workspace/a b e": "",
  "workspace/zzz.txt": "",
};
const search = (query: string, more: object = {}, as = query) =>
  call("fuzzyFileSearch", { query, roots: ["{{workspace}}"], ...more }, { as });
const found = (query: string) => notification("fuzzyFileSearch/sessionUpdated", { sessionId: "s", query });
const complete = notification("fuzzyFileSearch/sessionCompleted", { sessionId: "s" });
const update = (query: string) =>
  call("fuzzyFileSearch/sessionUpdate", { sessionId: "s", query }, { as: `update ${query}` });

export const fuzzySearchScenarios: readonly Scenario[] = [
  {
    name: "fuzzy-search/once",
    about: "A search gives the best files and folders first, with their scores and where they match.",
    transports: STDIO,
    files: FILES,
    steps: [
      initialize({}),
      ...["abe", "ABE !lib", "src test", "ts$", "^src", "'abe", "a", "s/e", "nothing"].map((query) =>
        search(query),
      ),
      search("", {}, "no query"),
      search("abe", { roots: [] }, "no roots"),
      search("abe", { roots: ["{{workspace}}/gone"] }, "no folder"),
      search("abe", { roots: ["src"] }, "relative root"),
      search("abe", { cancellationToken: "t" }, "token"),
    ],
  },
  {
    name: "fuzzy-search/ignored",
    about: "In a repository what git ignores is not found, but hidden files are.",
    transports: STDIO,
    files: {
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.git/info/exclude": "excl*\n",
      "workspace/.gitignore": "node_modules/\n*.log\n/only-root\n**/deep/*.tmp\n",
      "workspace/.ignore": "secret*\n",
      "workspace/a/.gitignore": "b/\n!kept-abe.log\n",
      "workspace/a/b/abe": "",
      "workspace/a/kept-abe.log": "",
      "workspace/a/abe.log": "",
      "workspace/a/only-root-abe": "",
      "workspace/a/deep/abe.tmp": "",
      "workspace/excl-abe": "",
      "workspace/secret-abe": "",
      "workspace/node_modules/x/abe.js": "",
      "workspace/.hidden-abe": "",
    },
    steps: [
      initialize({}),
      search("abe"),
      search("git"),
      search("abe", { roots: ["{{workspace}}/a"] }, "below"),
    ],
  },
  {
    name: "fuzzy-search/not-a-repository",
    about: "Outside of a repository .gitignore says nothing, and .ignore does.",
    transports: STDIO,
    files: {
      "workspace/.gitignore": "one*\n",
      "workspace/.ignore": "two*\n",
      "workspace/one-abe": "",
      "workspace/two-abe": "",
    },
    steps: [initialize({}), search("abe")],
  },
  {
    name: "fuzzy-search/session",
    about: "A session tells the best for each query, and that it has looked at everything.",
    transports: STDIO,
    files: FILES,
    // The peer sends it before or after the update of the same query, and sometimes twice.
    races: ["fuzzyFileSearch/sessionCompleted"],
    steps: [
      initialize(),
      call("fuzzyFileSearch/sessionStart", { sessionId: "s", roots: ["{{workspace}}"] }, { as: "start" }),
      found(""),
      complete,
      ...["abex", "", "nothing", "zzz"].flatMap((query) => [update(query), found(query), complete]),
      call("fuzzyFileSearch/sessionStop", { sessionId: "s" }, { as: "stop", settles: true }),
      update("late"),
      call("fuzzyFileSearch/sessionStop", { sessionId: "s" }, { as: "stop again" }),
      call("fuzzyFileSearch/sessionStart", { sessionId: "", roots: ["{{workspace}}"] }, { as: "no name" }),
      call("fuzzyFileSearch/sessionStart", { sessionId: "s", roots: [] }, { as: "no roots" }),
    ],
  },
];
