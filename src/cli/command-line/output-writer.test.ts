import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { createOutputWriter } from "./output-writer.ts";

test("a write waits until a slow reader drains the stream", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const writer = createOutputWriter(stream);
  let isWritten = false;
  const writing = writer.write("long enough").then((isRead) => {
    isWritten = true;
    return isRead;
  });
  await new Promise(setImmediate);
  expect(isWritten).toBe(false);
  expect(stream.read()?.toString()).toBe("long enough");
  expect(await writing).toBe(true);
});

test.each([
  ["closes", (done: (error?: Error | null) => void) => done(new Error("EPIPE"))],
  ["has closed", null],
])("a reader that %s makes writes resolve to false", async (_name, fail) => {
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
  const writer = createOutputWriter(stream);
  expect(await writer.write("a")).toBe(false);
  expect(await writer.write("b")).toBe(false);
  expect(writes).toBe(fail === null ? 0 : 1);
});
