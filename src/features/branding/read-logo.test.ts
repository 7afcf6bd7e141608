import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFile } from "node:fs/promises";
import { LOGO_BYTES_MAX, readLogo } from "./read-logo.ts";
import { animatedPng, jpegOf, pngOf, webpOf } from "./testing-logos.ts";

const faultOf = (bytes: Buffer): string | null => {
  const read = readLogo(bytes);
  return "fault" in read ? read.fault.code : null;
};
/** The head of a lossy and of a lossless file. */
const VP8 = Buffer.from("52494646000000005745425056503820000000000000009d012a40012c01", "hex");
const VP8L = Buffer.from("5249464600000000574542505650384c000000002f3f4112000000000000", "hex");

describe("a logo", () => {
  it("is known by its bytes", () => {
    assert.deepEqual(readLogo(pngOf(240, 60)), { type: "image/png", width: 240, height: 60 });
    assert.deepEqual(readLogo(jpegOf(300, 90)), { type: "image/jpeg", width: 300, height: 90 });
    assert.deepEqual(readLogo(webpOf(120, 40)), { type: "image/webp", width: 120, height: 40 });
    assert.deepEqual(readLogo(VP8), { type: "image/webp", width: 320, height: 300 });
    assert.deepEqual(readLogo(VP8L), { type: "image/webp", width: 320, height: 74 });
  });

  it("is not what can hold a script, nor another file with the name of an image", async () => {
    for (const text of [
      "",
      "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
      "<?xml version='1.0'?><svg/>",
      "<!doctype html><script>alert(1)</script>",
      "GIF89a\u0001\u0000\u0001\u0000",
      "%PDF-1.7",
      "RIFF0000WAVE",
      "BM",
    ])
      assert.equal(faultOf(Buffer.from(text, "latin1")), "NOT_AN_IMAGE", text);
    assert.equal(faultOf(await readFile("console/public/icon.svg")), "NOT_AN_IMAGE");
  });

  it("is not a picture that grows when it is decoded, nor an animation", () => {
    for (const bytes of [pngOf(50_000, 50_000), pngOf(1_025, 1), jpegOf(1, 65_535), webpOf(16_384, 16_384)])
      assert.equal(faultOf(bytes), "LOGO_TOO_LARGE");
    assert.equal(faultOf(Buffer.concat([pngOf(8, 8), Buffer.alloc(LOGO_BYTES_MAX)])), "LOGO_TOO_LARGE");
    for (const bytes of [animatedPng(), webpOf(8, 8, 2)]) assert.equal(faultOf(bytes), "LOGO_ANIMATED");
    assert.equal(faultOf(pngOf(0, 8)), "NOT_AN_IMAGE");
  });

  it("is refused when it ends anywhere in its head, and never makes the reader fail", () => {
    for (const whole of [pngOf(8, 8), jpegOf(8, 8), webpOf(8, 8), VP8, VP8L])
      for (let length = 0; length < whole.length; length += 1) {
        const cut = Buffer.from(whole.subarray(0, length));
        readLogo(cut);
        readLogo(Buffer.concat([cut, Buffer.alloc(40, 0xff)]));
      }
  });
});
