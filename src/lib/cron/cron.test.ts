import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTimeZone, parseCron } from "./cron.ts";

describe("a schedule", () => {
  for (const [text, message] of [
    ["0 0 3 * * *", /there are no seconds: write "0 3 \* \* \*"/],
    ["0 3 * * ? *", /leave out the year/],
    ["15 30 3 * * *", /no seconds/],
    ["0 3 * *", /five fields.*it has 4/],
    ["", /five fields/],
    ["@daily", /write "0 0 \* \* \*" for @daily/],
    ["@reboot", /five fields/],
    ["0 0 1 JAN *", /month JAN; write numbers, such as 1 for JAN/],
    ["0 0 1 january *", /such as 1 for jan/],
    ["0 0 * * MON-FRI", /such as 1 for MON/],
    ["0 0 ? * 1", /write \*/],
    ["0 0 L * *", /day "L"/],
    ["0 0 * * 5#2", /weekday "5#2"/],
    ["60 0 * * *", /from 0 to 59/],
    ["0 24 * * *", /from 0 to 23/],
    ["0 0 0 * *", /from 1 to 31/],
    ["0 0 * 13 *", /from 1 to 12/],
    ["0 0 * * 8", /from 0 to 7/],
    ["20-5 0 * * *", /smaller number first/],
    ["5/15 0 * * *", /write 5-59\/15/],
    ["*/0 0 * * *", /a step from 1/],
    ["1,,2 0 * * *", /minute ""/],
    ["0 0 30 2 *", /never occurs.*a day 30; write at most 29/],
    ["0 0 31 2,4,6,9,11 *", /never occurs.*at most 30/],
    ["-1 0 * * *", /minute "-1"/],
    ["1.5 0 * * *", /minute "1.5"/],
  ] as const)
    it(`refuses ${JSON.stringify(text)}, and says what to write`, () => {
      const cron = parseCron(text);
      assert.match("fault" in cron ? cron.fault : "accepted", message);
    });

  it("accepts what occurs", () => {
    for (const text of [
      "0 0 29 2 *",
      "0 0 31 1,2 *",
      "0 0 30 2 1",
      " 0  3 * * 0-7 ",
      "*/59 */23 */31 */12 */7",
    ])
      assert.ok(!("fault" in parseCron(text)), text);
  });

  it("counts Sunday as 0 and as 7", () => {
    const cron = parseCron("0 0 * * 5-7");
    assert.deepEqual("fault" in cron ? cron : cron.weekdays, [0, 5, 6]);
  });
});

describe("a time zone", () => {
  it("is a name of the time zone database", () => {
    for (const name of ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Etc/GMT+5"])
      assert.ok(isTimeZone(name), name);
    for (const name of ["Europe/Berlino", "+02:00", "", "UTC+2", "Mars/Base", "constructor", "Berlin"])
      assert.ok(!isTimeZone(name), name);
  });
});
