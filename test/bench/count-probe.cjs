// Loaded before a server (`node --require`), it counts calls that cost time and whose number does not depend on the
// machine. On SIGUSR2 it writes the counts to stderr, as one JSON line after a marker.
"use strict";
const fs = require("node:fs");
const Module = require("node:module");
const { promiseHooks } = require("node:v8");

// The originals: reporting the counts must not change them.
const { writeSync } = fs;
const { stringify } = JSON;

const counts = {
  promises: 0,
  ticks: 0,
  timers: 0,
  stats: 0,
  reads: 0,
  writes: 0,
  sql: 0,
  stringify: 0,
  parse: 0,
};

promiseHooks.onInit(() => {
  counts.promises += 1;
});

function count(target, name, kind) {
  const original = target[name];
  if (typeof original !== "function") return;
  const counted = function (...args) {
    counts[kind] += 1;
    return Reflect.apply(original, this, args);
  };
  // `fs.realpathSync.native` and the like.
  target[name] = Object.assign(counted, original);
}

for (const name of ["stat", "lstat", "fstat", "access", "exists", "realpath", "readlink"]) {
  count(fs, name, "stats");
  count(fs, `${name}Sync`, "stats");
  count(fs.promises, name, "stats");
}
for (const name of ["open", "read", "readv", "readFile", "readdir", "opendir"]) {
  count(fs, name, "reads");
  count(fs, `${name}Sync`, "reads");
  count(fs.promises, name, "reads");
}
for (const name of ["write", "writev", "writeFile", "appendFile", "ftruncate", "fsync", "fdatasync"]) {
  count(fs, name, "writes");
  count(fs, `${name}Sync`, "writes");
  count(fs.promises, name, "writes");
}
count(JSON, "stringify", "stringify");
count(JSON, "parse", "parse");
count(process, "nextTick", "ticks");
count(globalThis, "setTimeout", "timers");
count(globalThis, "setInterval", "timers");

const load = Module._load;
Module._load = function (request, ...rest) {
  const loaded = Reflect.apply(load, this, [request, ...rest]);
  if (request === "better-sqlite3") countStatements(loaded);
  return loaded;
};

const seen = new WeakSet();

function countStatements(Database) {
  if (seen.has(Database)) return;
  seen.add(Database);
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (...args) {
    const statement = Reflect.apply(prepare, this, args);
    const prototype = Object.getPrototypeOf(statement);
    if (!seen.has(prototype)) {
      seen.add(prototype);
      for (const name of ["run", "get", "all", "iterate"]) count(prototype, name, "sql");
    }
    return statement;
  };
  count(Database.prototype, "exec", "sql");
}

process.on("SIGUSR2", () => {
  writeSync(2, `\n@counts ${stringify(counts)}\n`);
});
