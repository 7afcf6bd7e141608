import assert from "node:assert/strict";
import { it } from "node:test";
import { type CsvLine, readCsv } from "./read-csv.ts";

/** `line cell`, or `line !` for a broken line, or `line -skipped`. */
function inShort(line: CsvLine): string {
  if ("cell" in line) return `${line.line} ${line.cell}`;
  return "isBroken" in line ? `${line.line} !` : `${line.line} -${line.isSkipped}`;
}

for (const [about, text, lines] of [
  ["a plain list", "a.example\nb.example", ["1 a.example", "2 b.example"]],
  ["a final line break, and blank lines", "a.example\n\nb.example\n\n", ["1 a.example", "3 b.example"]],
  ["a heading", "Domain,Owner\na.example,x", ["1 -heading", "2 a.example"]],
  ["semicolons", "a.example;x\nb.example;1,5", ["1 a.example", "2 b.example"]],
  ["tabs", "a.example\tx\nb.example\ty", ["1 a.example", "2 b.example"]],
  [
    "the line by which spreadsheets name the separator",
    "sep=|\nFQDN|x\na.example|1,5",
    ["1 -heading", "2 -heading", "3 a.example"],
  ],
  ["quotes", '"a.example","x, ""y"""\n"b""c",1', ["1 a.example", '2 b"c']],
  [
    "a quote within a cell",
    'domain,note\na.example,24" wide\nb.example,ok',
    ["1 -heading", "2 a.example", "3 b.example"],
  ],
  [
    "a cell of several lines",
    'a.example,"1\n2"\nb.example',
    ["1 a.example", "2 -continuation", "3 b.example"],
  ],
  [
    "a quote that is never closed",
    'a.example\nb.example,"24 wide\nc.example,ok',
    ["1 a.example", "2 !", "3 c.example"],
  ],
  [
    "a quote that another one closes too late",
    'a.example,"24 wide\nb.example,ok\nc.example,"x"\nd.example',
    ["1 !", "2 b.example", "3 c.example", "4 d.example"],
  ],
  ["a cell that continues after its quote", 'a.example,"x" y\nb.example', ["1 !", "2 b.example"]],
  [
    "comments",
    '# "x\na.example # y\n  # z\nb.example\n#',
    ["1 -comment", "2 a.example # y", "3 -comment", "4 b.example", "5 -comment"],
  ],
  ["rows without any text, as spreadsheets leave them", "a.example,x\n,\n;", ["1 a.example", "3 ;"]],
  ["a row without a name", "a.example,x\n,y", ["1 a.example", "2 "]],
  ["nothing", "", []],
] as const) {
  it(`reads ${about}`, async () => assert.deepEqual((await readCsv(text)).map(inShort), lines));
}

for (const heading of [
  "FQDN",
  "URL",
  "Website",
  "domain_name",
  "Domain Name",
  "host-name",
  "Custom Domain",
]) {
  it(`finds the names below ${heading}, in any column`, async () => {
    const lines = await readCsv(`Customer,${heading},Name\nAcme,www.acme.example,x\n`);
    assert.deepEqual(lines.map(inShort), ["1 -heading", "2 www.acme.example"]);
  });
}

it("loses no line of a long file, wherever its quotes are", async () => {
  const line = (index: number): string => {
    if (index % 97 === 0) return `n${index}.example,"open`;
    return index % 10 === 0 ? `n${index}.example,"a\nb"` : `n${index}.example,"a ""b"""`;
  };
  const text = Array.from({ length: 3_000 }, (_, index) => line(index + 1)).join("\n");
  const read = await readCsv(text);
  const numbers = read.map((one) => one.line);
  assert.deepEqual(
    numbers,
    Array.from({ length: text.split("\n").length }, (_, index) => index + 1),
  );
  const broken = read.filter((one) => "isBroken" in one);
  assert.equal(broken.length, Math.floor(3_000 / 97));
  const names = read.flatMap((one) => ("cell" in one ? [one.cell] : []));
  assert.equal(names.length + broken.length, 3_000);
});

it("reads the column by which names are grouped", async () => {
  const csv = "Kunde;Sites;Domain\nAcme;x;a.example\n;y;b.example\n";
  const cells = (await readCsv(csv, "kunde")).map((line) => ("cell" in line ? line.groupCell : "-"));
  assert.deepEqual(cells, ["-", "Acme", ""]);
  // Without a heading of the names, they are in the first column.
  const bare = await readCsv("Address,Customer ID\na.example,7\n", "customer-id");
  assert.deepEqual(bare.slice(1), [{ line: 2, cell: "a.example", groupCell: "7" }]);
});

for (const csv of ["Domain,Owner\na.example,x", "a.example,x", "# Customer\na.example"])
  it(`refuses to group by a column that is missing: ${csv}`, async () => {
    await assert.rejects(readCsv(csv, "Customer"), { code: "INVALID_REQUEST" });
  });
