import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CloudAccount, CloudError, type CloudZones, type ZoneRecord } from "../../../cloud/cloud.ts";
import { joinZoneCalls } from "./join-zone-calls.ts";

const ACCOUNT: CloudAccount = {
  connectionId: "aws_1",
  accountId: "123456789012",
  roleArn: "arn",
  purpose: "group_1",
};
const cname = (name: string): ZoneRecord => ({ type: "CNAME", name, value: "d1.cdn.example" });

/** A zone that records its calls, and refuses changes that contain a name of `refused`. */
function zone({ refused = [] as string[], outage = false } = {}) {
  const calls: string[] = [];
  const change = async (kind: string, zoneId: string, records: readonly ZoneRecord[]): Promise<void> => {
    const names = records.map(({ name }) => name);
    calls.push(`${kind} ${zoneId} ${names.join(" ")}`);
    await Promise.resolve();
    if (outage) throw new CloudError("retryable", "THROTTLED", "zones.create", "later");
    if (names.some((name) => refused.includes(name)))
      throw new CloudError("invalid", "RECORD_CONFLICT", "zones.create", "there is one");
  };
  const zones: CloudZones = {
    find: async (_account, name) => {
      calls.push(`find ${name}`);
      return await Promise.resolve([{ id: `Z of ${name}`, nameServers: [] }]);
    },
    look: async (_account, zoneId, names) => {
      calls.push(`look ${zoneId} ${names.join(" ")}`);
      return await Promise.resolve(names.map((name) => [{ type: "TXT", values: [name] }]));
    },
    create: (_account, zoneId, records) => change("create", zoneId, records),
    delete: (_account, zoneId, records) => change("delete", zoneId, records),
  };
  return { calls, zones: joinZoneCalls(zones) };
}

describe("what groups of an account ask of its zones at the same time", () => {
  it("is asked in one call for each zone, and answers each", async () => {
    const { calls, zones } = zone();
    const asked = [["a", "b"], ["b", "c"], ["c"]];
    const answers = await Promise.all(asked.map((names) => zones.look(ACCOUNT, "Z1", names)));
    assert.deepEqual(
      answers,
      asked.map((names) => names.map((name) => [{ type: "TXT", values: [name] }])),
    );
    await Promise.all([zones.look(ACCOUNT, "Z1", ["d"]), zones.look(ACCOUNT, "Z2", ["d"])]);
    const [found, same] = await Promise.all([zones.find(ACCOUNT, "x"), zones.find(ACCOUNT, "x")]);
    assert.equal(found, same);
    assert.deepEqual(calls, ["look Z1 a b c", "look Z1 d", "look Z2 d", "find x"]);
  });

  it("is not joined with what another account asks", async () => {
    const { calls, zones } = zone();
    const other = { ...ACCOUNT, connectionId: "aws_2" };
    await Promise.all([zones.find(ACCOUNT, "x"), zones.find(other, "x")]);
    assert.deepEqual(calls, ["find x", "find x"]);
  });

  it("fails only for those whose records are refused", async () => {
    const { calls, zones } = zone({ refused: ["c"] });
    const outcomes = await Promise.allSettled(
      ["a", "b", "c", "d"].map((name) => zones.create(ACCOUNT, "Z1", [cname(name)])),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(calls, [
      "create Z1 a b c d",
      "create Z1 a b",
      "create Z1 c d",
      "create Z1 c",
      "create Z1 d",
    ]);
  });

  it("is not repeated piece by piece when the provider asks for patience", async () => {
    const { calls, zones } = zone({ outage: true });
    const deletions = ["a", "b"].map((name) => zones.delete(ACCOUNT, "Z1", [cname(name)]));
    const outcomes = await Promise.allSettled(deletions);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.deepEqual(calls, ["delete Z1 a b"]);
  });

  it("is cut where it is too large for a call, but not within what one asks", async () => {
    const { calls, zones } = zone();
    const sizes = [60, 60, 40, 120];
    await Promise.all(
      sizes.map((size, index) =>
        zones.create(
          ACCOUNT,
          "Z1",
          Array.from({ length: size }, (_, n) => cname(`n${n}.g${index}`)),
        ),
      ),
    );
    assert.deepEqual(
      calls.map((call) => call.split(" ").length - 2),
      [60, 100, 120],
    );
  });
});
