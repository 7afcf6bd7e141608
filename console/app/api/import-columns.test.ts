import assert from "node:assert/strict";
import { it } from "node:test";
import { readColumns } from "./import-columns.ts";

for (const [text, columns] of [
  ["Domain,Customer,Customer ID\na.com,Acme,7", ["Customer", "Customer ID"]],
  ['\n# old\n"Kunde";"Custom Domains"\nAcme;a.com', ["Kunde"]],
  ["sep=\t\nWebsite\tOwner\tOwner", ["Owner"]],
  ["a.com,Acme\nb.com,Bolt", []],
  ["a.com\nb.com", []],
  ["Domain", []],
  ["", []],
] as const)
  it(`offers the columns of ${JSON.stringify(text.slice(0, 24))}`, () =>
    assert.deepEqual(readColumns(text), columns));
