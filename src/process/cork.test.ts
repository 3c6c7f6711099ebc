import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createCork } from "./cork.ts";

/** Records what is written together. */
function openStream() {
  const writes: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writes.push(chunk.toString());
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join("+"));
      done();
    },
  });
  return { stream, writes };
}

test("what is written before the given time is one write, and what follows another", () => {
  const { stream, writes } = openStream();
  let uncork = (): void => {};
  const cork = createCork(stream, (later) => {
    uncork = later;
  });
  const write = (text: string): void => {
    cork();
    stream.write(text);
  };
  write("a");
  write("b");
  expect(writes).toEqual([]);
  uncork();
  expect(writes).toEqual(["a+b"]);
  write("c");
  write("d");
  uncork();
  expect(writes).toEqual(["a+b", "c+d"]);
});

test("without another time, the writes of a tick are joined", async () => {
  const { stream, writes } = openStream();
  const cork = createCork(stream);
  for (const text of ["a", "b"]) {
    cork();
    stream.write(text);
  }
  await new Promise(process.nextTick);
  expect(writes).toEqual(["a+b"]);
});

test("the end of a stream does not wait", async () => {
  const { stream, writes } = openStream();
  createCork(stream)();
  stream.write("a");
  stream.end();
  expect(writes).toEqual(["a"]);
  await new Promise(process.nextTick);
});
