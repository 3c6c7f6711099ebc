import {
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packedBytes, packFile, unpackFile } from "./pack-file.ts";
import { readBytesAt } from "./raw-lines.ts";
import { temporaryFolder } from "./rollout.fixture.ts";
import { UnpackedFiles } from "./rollout-files.ts";

const now = () => 0;
const NAME = "rollout-2026-11-15T09-24-31-01a1de85-c6e8-7cd1-a911-8f3f8697f72b.jsonl";

function plainFile(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), NAME);
  writeFileSync(path, content);
  return path;
}

const TEXT = '{"said":"hello, hello, hello, hello, hello, hello"}\n';

describe("a file that is packed", () => {
  test("is smaller, as old as it was, and private; the other one is gone", async () => {
    const path = plainFile(TEXT.repeat(1000));
    utimesSync(path, 1000, 2000);
    const foretold = await packedBytes(path, now);
    const packing = await packFile(path, now);
    const packed = statSync(`${path}.zst`);
    expect(packing).toEqual({ kind: "packed", path: `${path}.zst`, bytes: packed.size });
    expect(packed.size).toBe(foretold);
    expect([packed.mtimeMs, packed.mode & 0o777]).toEqual([2_000_000, 0o600]);
    expect(readdirSync(join(path, ".."))).toEqual([`${NAME}.zst`]);
  });

  test("unpacks to what it was, whatever that was", async () => {
    // Longer than a frame and than a decoder window, and incompressible.
    const random = fc.uint8Array({ minLength: 0, maxLength: 3000 });
    await fc.assert(
      fc.asyncProperty(random, fc.integer({ min: 1, max: 4000 }), async (bytes, times) => {
        const content = Buffer.concat([Buffer.from(TEXT.repeat(times)), ...Array(3).fill(bytes)]);
        const path = plainFile(content);
        expect((await packFile(path, now)).kind).toBe("packed");
        await unpackFile(`${path}.zst`, path, now);
        expect(readFileSync(path).equals(content)).toBe(true);
      }),
      { numRuns: 20 },
    );
    const path = plainFile(TEXT.repeat(60_000));
    expect((await packFile(path, now)).kind).toBe("packed");
    await unpackFile(`${path}.zst`, path, now);
    expect(readFileSync(path, "utf8") === TEXT.repeat(60_000)).toBe(true);
  });

  test.each<[string, (path: string) => void, string]>([
    ["that would not be smaller", (path) => writeFileSync(path, "x"), "it would not be smaller"],
    ["that is a link", (path) => symlinkSync("/etc/hostname", path), "it is not a file"],
    ["that is gone", () => {}, "it is gone"],
    [
      "that shrinks beyond all measure",
      (path) => writeFileSync(path, Buffer.alloc(80 * 1024 * 1024, 10)),
      "unpack to more than",
    ],
    [
      "beside a packed one with other lines",
      (path) => {
        writeFileSync(path, TEXT);
        writeFileSync(`${path}.zst`, "no zstd");
      },
      "has other lines",
    ],
  ])("but not one %s", async (_what, make, why) => {
    const path = join(temporaryFolder(), NAME);
    make(path);
    const before = readdirSync(join(path, ".."));
    expect(await packFile(path, now)).toEqual({ kind: "left", why: expect.stringContaining(why) });
    expect(readdirSync(join(path, ".."))).toEqual(before);
  });

  test("takes the place of one that has fewer lines", async () => {
    const path = plainFile(TEXT.repeat(10));
    await packFile(path, now);
    writeFileSync(path, TEXT.repeat(12));
    expect((await packFile(path, now)).kind).toBe("packed");
    await unpackFile(`${path}.zst`, path, now);
    expect(readFileSync(path, "utf8")).toBe(TEXT.repeat(12));
  });

  test("keeps the other names of the file", async () => {
    const path = plainFile(TEXT.repeat(10));
    const other = join(path, "..", "other");
    linkSync(path, other);
    await packFile(path, now);
    expect([existsSync(path), readFileSync(other, "utf8")]).toEqual([false, TEXT.repeat(10)]);
  });
});

/** Outputs of `zstd`: with a checksum, without one, and of a stream of unknown length. */
const FOREIGN = [
  "KLUv/SQ0zQAAmHsic2FpZCI6ImhlbGxvLCAifQoBADSWJbXBC44=",
  "KLUv/SA0zQAAmHsic2FpZCI6ImhlbGxvLCAifQoBADSWJQ==",
  "KLUv/QRYzQAAmHsic2FpZCI6ImhlbGxvLCAifQoBADSWJbXBC44=",
].map((text) => Buffer.from(text, "base64"));
const SKIPPED = Buffer.from("502a4d1803000000616263", "hex");

function opener(options: { readonly maxKeptBytes?: number } = {}) {
  const home = temporaryFolder();
  let id = 0;
  const files = new UnpackedFiles({ home, now, createId: () => `${++id}`, ...options });
  return {
    home,
    files,
    unpackings: () => id,
    async read(bytes: Uint8Array, name = NAME): Promise<string> {
      const path = join(home, `${name}.zst`);
      writeFileSync(path, bytes);
      const opened = await files.open(path);
      if (opened.kind === "unreadable") return opened.message;
      try {
        return readBytesAt(opened.file, 0, fstatSync(opened.file).size).toString();
      } finally {
        opened.close();
      }
    },
  };
}

describe("what others have packed", () => {
  test("is read, also frame behind frame and with what is to be skipped", async () => {
    const { read } = opener();
    for (const bytes of FOREIGN) expect(await read(bytes)).toBe(TEXT);
    expect(await read(Buffer.concat([SKIPPED, ...FOREIGN, SKIPPED]))).toBe(TEXT.repeat(3));
    expect(await read(Buffer.alloc(0))).toBe("");
  });

  test.each<[string, Buffer, string]>([
    ["no zstd", Buffer.from("hello, hello, hello"), "it is not a zstd file"],
    ["cut off", (FOREIGN[0] as Buffer).subarray(0, 30), "it was cut off"],
    ["cut off in a header", Buffer.concat([FOREIGN[0] as Buffer, SKIPPED.subarray(0, 6)]), "it was cut off"],
    ["a window of 2 GB", Buffer.from("28b52ffd00a8", "hex"), "it needs a window of 2147483648 bytes"],
    [
      "one piece of 4 GB",
      Buffer.from("28b52ffda0ffffffff", "hex"),
      "it needs a window of 4294967295 bytes, and 8388608 are allowed",
    ],
    ["a dictionary", Buffer.from("28b52ffd21070000000000", "hex"), "it needs a dictionary"],
    ["a block of no kind", Buffer.from("28b52ffd0058070000", "hex"), "it is damaged"],
    ["a damaged block", damaged(), "it is damaged"],
    ["a bomb", bomb(800_000), "unpack to more than"],
  ])("is not believed where it is %s", async (_what, bytes, why) => {
    const before = process.memoryUsage().arrayBuffers;
    expect(await opener().read(bytes)).toContain(why);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });

  test("is read or refused, however it is damaged", async () => {
    const whole = Buffer.concat(FOREIGN);
    const { read } = opener();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        async (at, byte) => {
          const bytes = Buffer.from(whole);
          bytes[at] = byte;
          expect(typeof (await read(bytes))).toBe("string");
        },
      ),
    );
  });

  test("is unpacked once for all who read it, into no file that anybody finds", async () => {
    const { home, files, unpackings } = opener();
    const path = join(home, `${NAME}.zst`);
    writeFileSync(path, FOREIGN[0] as Buffer);
    const opened = await Promise.all([files.open(path), files.open(path)]);
    for (const each of [...opened, await files.open(path)]) if (each.kind === "open") each.close();
    expect(unpackings()).toBe(1);
    expect(readdirSync(join(home, "tmp"))).toEqual([]);
  });

  test("is let go when others are read, but for the last one", async () => {
    const { home, files, unpackings } = opener({ maxKeptBytes: 60 });
    const paths = ["a", "b", "c"].map((name) => join(home, `${name}.jsonl.zst`));
    for (const path of paths) writeFileSync(path, FOREIGN[0] as Buffer);
    const look = async (path = ""): Promise<void> => {
      const opened = await files.open(path);
      if (opened.kind === "open") opened.close();
    };
    for (const path of paths) await look(path);
    await look(paths[2]);
    expect(unpackings()).toBe(3);
    await look(paths[0]);
    expect(unpackings()).toBe(4);
    files.close();
  });

  test("that cannot be unpacked is not tried again before it has changed", async () => {
    const { home, files, unpackings } = opener();
    const path = join(home, "a.jsonl.zst");
    writeFileSync(path, "hello, hello");
    for (let look = 0; look < 3; look += 1) expect((await files.open(path)).kind).toBe("unreadable");
    expect(unpackings()).toBe(1);
    writeFileSync(path, FOREIGN[0] as Buffer);
    expect((await files.open(path)).kind).toBe("open");
    expect(lstatSync(path).isFile()).toBe(true);
  });
});

/** Run-length blocks of 128 KiB each: 100 GB in 3 MB. */
function bomb(blocks: number): Buffer {
  const block = Buffer.alloc(4);
  block.writeUIntLE((131_072 << 3) | 2, 0, 3);
  return Buffer.concat([Buffer.from("28b52ffd0058", "hex"), ...Array<Buffer>(blocks).fill(block)]);
}

function damaged(): Buffer {
  const bytes = Buffer.from(FOREIGN[0] as Buffer);
  bytes.fill(0xff, 9, 34);
  return bytes;
}
