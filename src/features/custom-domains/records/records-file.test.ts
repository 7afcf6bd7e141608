import assert from "node:assert/strict";
import { it } from "node:test";
import { toCsv, toZone } from "./records-file.ts";

const www = {
  domain: "www.example.com",
  status: "PENDING",
  type: "CNAME",
  name: "www.example.com",
  value: "d1.cdn.example",
  purpose: "SERVICE_CONNECTION",
} as const;
const apex = { ...www, domain: "example.com", type: "ALIAS", name: "example.com" } as const;
const caa = {
  ...www,
  type: "CAA",
  name: "example.com",
  value: '0 issue "amazon.com"',
  purpose: "CERTIFICATE_AUTHORITY_AUTHORIZATION",
} as const;

it("writes CSV whose quotes are doubled", () => {
  assert.equal(
    toCsv([www, caa]),
    `www.example.com,PENDING,CNAME,www.example.com,d1.cdn.example,SERVICE_CONNECTION\r
www.example.com,PENDING,CAA,example.com,"0 issue ""amazon.com""",CERTIFICATE_AUTHORITY_AUTHORIZATION\r
`,
  );
});

it("writes a zone file with whole names, in which an ALIAS is a comment", () => {
  assert.equal(
    toZone([www, caa, apex]),
    `www.example.com.\t300\tIN\tCNAME\td1.cdn.example.
example.com.\t300\tIN\tCAA\t0 issue "amazon.com"
; example.com. needs an ALIAS (or ANAME, or flattened CNAME) to d1.cdn.example.
`,
  );
});
