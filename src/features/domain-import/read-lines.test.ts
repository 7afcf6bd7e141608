import assert from "node:assert/strict";
import { it } from "node:test";
import { type ImportLine, readLines } from "./read-lines.ts";

const inShort = (line: ImportLine): string =>
  line.kind === "name" ? line.name : `${line.kind} ${line.fault.code}`;

for (const [text, expected] of [
  ["https://www.example.com/shop?x=1#top", "www.example.com"],
  ["HTTP://Shop.Example.com:8080", "shop.example.com"],
  ["//cdn.example.com/x", "cdn.example.com"],
  ["https://user:pass@www.example.com/", "www.example.com"],
  ["www.example.com/", "www.example.com"],
  ["www.example.com:443", "www.example.com"],
  ["https://bücher.example.de/x", "xn--bcher-kva.example.de"],
  ["https://*.example.com/", "*.example.com"],
  ["  www.example.com\u00A0", "www.example.com"],
  ["www.example.com # the shop", "www.example.com"],
  ["# www.example.com", "skipped COMMENT"],
  ["joe@example.com", "invalid NOT_A_DOMAIN"],
  ["mailto:joe@example.com", "invalid NOT_A_DOMAIN"],
  ["a.example.com; b.example.com", "invalid NOT_A_DOMAIN"],
  ["https://", "invalid NOT_A_DOMAIN"],
] as const)
  it(`reads ${text}`, async () => {
    const quoted = `"${text}"`;
    for (const source of [{ domains: [text] }, { csv: quoted }])
      assert.deepEqual((await readLines(source)).map(inShort), [expected]);
  });

it("says of each line of a CSV why it has no name", async () => {
  const csv = 'Website\n# old\nwww.example.com,"x\ny"\n,z\nshop.example.com,"open\nb.example.com';
  const lines = await readLines({ csv });
  assert.deepEqual(
    lines.map((line) => [line.line, inShort(line), line.name]),
    [
      [1, "skipped HEADING", "Website"],
      [2, "skipped COMMENT", "# old"],
      [3, "www.example.com", "www.example.com"],
      [4, "skipped CONTINUATION", 'y"'],
      [5, "invalid NO_NAME", ""],
      [6, "invalid QUOTE_NOT_CLOSED", 'shop.example.com,"open'],
      [7, "b.example.com", "b.example.com"],
    ],
  );
});
