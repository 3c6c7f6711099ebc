// A Node process that does nothing but answer once: the part of a start that no server in Node can avoid.
require("node:fs").writeSync(1, '{"id":1,"result":{}}\n');
setInterval(() => undefined, 60_000);
