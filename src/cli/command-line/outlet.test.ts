import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { createOutlet } from "./outlet.ts";

test("a slow reader is waited for", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const outlet = createOutlet(stream);
  let isWritten = false;
  const writing = outlet.write("long enough").then((isRead) => {
    isWritten = true;
    return isRead;
  });
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  expect(stream.read()?.toString()).toBe("long enough");
  expect(await writing).toBe(true);
});

test.each([
  ["goes away", (done: (error?: Error | null) => void) => done(new Error("EPIPE"))],
  ["has gone", null],
])("a reader that %s is told of, and nothing hangs", async (_name, fail) => {
  let writes = 0;
  const stream = new Writable({
    highWaterMark: 1,
    write(_chunk, _encoding, done) {
      writes += 1;
      fail?.(done);
    },
  });
  stream.on("error", () => {});
  if (fail === null) stream.destroy();
  const outlet = createOutlet(stream);
  expect(await outlet.write("a")).toBe(false);
  expect(await outlet.write("b")).toBe(false);
  expect(writes).toBe(fail === null ? 0 : 1);
});
