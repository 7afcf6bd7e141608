import assert from "node:assert/strict";
import { it } from "node:test";
import type { ImportedLine } from "../../../sdk/src/generated/types.ts";
import { groupRefusals } from "./import-words.ts";

const lineOf = (line: number, fate: ImportedLine["fate"], message: string | null): ImportedLine => ({
  line,
  name: "x",
  fate,
  code: null,
  message,
  domainCertificateGroupId: null,
  domainCertificateGroupName: null,
});

it("groups refused lines by their reason, and leaves out the others", () => {
  const many = Array.from({ length: 14 }, (_, index) => lineOf(index + 10, "invalid", "has no dot"));
  const lines = [
    lineOf(1, "skipped", "is a heading"),
    lineOf(2, "taken", "is elsewhere"),
    lineOf(3, "accepted", null),
  ];
  assert.deepEqual(groupRefusals([...lines, ...many]), [
    {
      message: "has no dot",
      count: 14,
      where: "Lines 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21 and 2 more.",
    },
    { message: "is elsewhere", count: 1, where: "Line 2." },
  ]);
});
