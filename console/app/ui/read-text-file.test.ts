import assert from "node:assert/strict";
import { it } from "node:test";
import { readTextFile } from "./read-text-file.ts";

const read = (bytes: string | Uint8Array<ArrayBuffer>) => readTextFile(new File([bytes], "list.csv"));

it("reads text in the encodings of spreadsheets", async () => {
  const text = "domain,customer\nwww.example.com,Müller";
  const mark = [0xff, 0xfe];
  for (const bytes of [
    text,
    `\uFEFF${text}`,
    new Uint8Array([...mark, ...Buffer.from(text, "utf16le")]),
    new Uint8Array(Buffer.from(text, "latin1")),
  ])
    assert.deepEqual(await read(bytes), { text });
});

it("refuses what is not text, says so, and says what to do", async () => {
  const fault = async (bytes: string | Uint8Array<ArrayBuffer>) => {
    const answer = await read(bytes);
    return "fault" in answer ? answer.fault : null;
  };
  // The first bytes of a spreadsheet and of an image.
  for (const bytes of [
    "PK\u0003\u0004\u0014\0\u0006\0",
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
  ])
    assert.match(String(await fault(bytes)), /^list\.csv is not a text file\. Save a spreadsheet as CSV/);
  assert.equal(await fault(" \n"), "list.csv is empty.");
  assert.equal(
    await fault("a".repeat(1_260_000)),
    "list.csv has 1.3 MB, and a file may have at most 1 MB. Use it in parts.",
  );
  assert.equal(await fault("a".repeat(1_000_000)), null);
});
