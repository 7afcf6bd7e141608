import assert from "node:assert/strict";
import { it } from "node:test";
import { AppError } from "../../lib/errors.ts";
import { decodeText } from "./decode-text.ts";

const TEXT = "domain\nmüller.example\n";
const utf16le = Buffer.from(TEXT, "utf16le");
const utf16be = Buffer.from(utf16le).swap16();
const latin1 = Buffer.from(TEXT, "latin1");

for (const [about, bytes, charset] of [
  ["UTF-8", Buffer.from(TEXT), null],
  ["UTF-8 with a mark", Buffer.from(`\uFEFF${TEXT}`), "iso-8859-1"],
  ["UTF-16 with a mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16le]), "utf-8"],
  ["UTF-16 in the other order", Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be]), null],
  ["UTF-16 without a mark", utf16le, null],
  ["UTF-16 in the other order without a mark", utf16be, null],
  ["Latin-1 that says so", latin1, "ISO-8859-1"],
  ["Latin-1 that says nothing", latin1, null],
  ["Latin-1 that says UTF-8", latin1, "utf-8"],
] as const)
  it(`decodes ${about}`, () => assert.equal(decodeText(bytes, charset), TEXT));

it("decodes each line for itself, so that a wrong byte changes no other line", () => {
  const bytes = Buffer.concat([
    Buffer.from("mé.example\n"),
    Buffer.from("ü\r\n", "latin1"),
    Buffer.from("é"),
  ]);
  assert.equal(decodeText(bytes, null), "mé.example\nü\r\né");
});

it("refuses bytes that are not text, and an unknown charset", () => {
  const refuse = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
  assert.throws(() => decodeText(Buffer.from("PK\u0003\u0004\0\0"), null), refuse("INVALID_REQUEST"));
  assert.throws(() => decodeText(Buffer.from("a"), "klingon"), refuse("UNSUPPORTED_MEDIA_TYPE"));
});
