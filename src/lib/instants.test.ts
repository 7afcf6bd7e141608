import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { readUtcInstant, writeInstant } from "./instants.ts";

const instant = fc.date({
  min: new Date("1000-01-01T00:00:00.000Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
});

describe("an instant that PostgreSQL wrote", () => {
  it("is read as Date reads it, in both forms, with any fraction", () => {
    fc.assert(
      fc.property(instant, fc.stringMatching(/^[0-9]{0,6}$/), fc.boolean(), (date, digits, isJson) => {
        const seconds = date.toISOString().slice(0, 19);
        const fraction = digits === "" ? "" : `.${digits}`;
        const text = isJson ? `${seconds}${fraction}+00:00` : `${seconds.replace("T", " ")}${fraction}+00`;
        assert.equal(readUtcInstant(text)?.toISOString(), new Date(`${seconds}${fraction}Z`).toISOString());
      }),
    );
  });

  for (const text of [
    "infinity",
    "-infinity",
    "0044-03-15 12:00:00+00 BC",
    "0999-01-01 00:00:00+00",
    "10000-01-01 00:00:00+00",
    "2026-11-23 09:30:12+02",
    "2026-11-23 09:30:12.5+05:30",
    "2026-11-23 09:30+00",
    "2026-11-23",
    "",
  ])
    it(`is not read in another form: ${JSON.stringify(text)}`, () =>
      assert.equal(readUtcInstant(text), null));
});

it("an instant is written as Date writes it", () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) =>
      assert.equal(writeInstant(date), date.toISOString()),
    ),
  );
  assert.throws(() => writeInstant(new Date(Number.NaN)), RangeError);
});
