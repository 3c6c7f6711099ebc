import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { layerVersion } from "./layer.ts";
import { floatText } from "./toml/render-toml.ts";

const versionOf = (text: string) => layerVersion(parse(text, { integersAsBigInt: true }));

describe("the version of a layer", () => {
  test.each([
    ["", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    ['model = "b"', "8ee01bdc7953d35f198ea5c44709cdfda45a6daa12cc49bbc0555b1814a34c45"],
    ["a=inf\nb=-inf\nc=nan", "158793201d4592cf88a9964c9e4debcc20681972dacab019e32461e563467a9e"],
    ['""=1\n[x]\n""="y"', "65961fe95cb2060c366e695f3e8ab403d91317ec5035ee6084f51a57a6a2344d"],
    [
      'b=1\na=2\nB=3\n_=4\n"é"=1\n"\\U0001F600"=1\n"\\uFFFD"=2\n10=1\n2=1',
      "821e33fe085682e1637780b89bf0671873fd8290956e3ab0f3ba51ab4b16a344",
    ],
    [
      "a=1.0\nb=1e6\nc=1e21\nd=-0.0\ne=0.1\nf=1e-7\ng=3.14\nh=6.626e-34\ni=1e16\nj=123456789012345680.0\nk=1e17\n" +
        "l=0.00001\nm=0.000001",
      "bf20594612661f77865a3d89cc7b2adf93c3b717cf4fae2b7899f785ce10178e",
    ],
    [
      "a=9223372036854775807\nb=-9223372036854775808\nc=0xff\nd=9007199254740993\ne=1_000\nf=0o17\ng=0b11\nh=+5",
      "a175bfb1e3321e9747c2a9a08947d492919b5dcc71e72232c8c6b670fc6ec908",
    ],
  ])("of %j is the peer's", (text, digest) => {
    expect(versionOf(text)).toBe(`sha256:${digest}`);
  });

  test("does not depend on layout or order", () => {
    expect(versionOf("a = 1 # x\n[t]\nb = 2\nc = 3\n")).toBe(versionOf("t.c = 3\nt.b = 2\na = 1\n"));
  });
});

test("the text of a float is a float of the same value", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(floatText(value)).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/);
      expect(floatText(value)).toMatch(/[.e]/);
      expect(Object.is(Number(floatText(value)), value)).toBe(true);
    }),
  );
});
