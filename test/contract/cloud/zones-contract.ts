/** DNS zones: what is found of them, and that nothing of another is changed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CloudAccount, CloudZones, ObservedRecords, ZoneRecord } from "../../../src/cloud/cloud.ts";
import { type CloudSuite, refuses } from "./cloud-suite.ts";

export function describeZones(suite: CloudSuite): void {
  describe("zones", () => {
    const look = async (
      account: CloudAccount,
      id: string,
      name: string,
    ): Promise<readonly ObservedRecords[]> => {
      const [seen] = await suite.cloud.zones.look(account, id, [name]);
      assert.ok(seen);
      return seen;
    };
    const cname = (name: string, value = "target.example.net"): ZoneRecord => ({
      type: "CNAME",
      name,
      value,
    });

    async function start(): Promise<{ account: CloudAccount; name: string; id: string; zones: CloudZones }> {
      const account = await suite.harness.connect();
      const name = suite.harness.newDomain();
      return {
        account,
        name,
        id: await suite.harness.createZone(account, { name }),
        zones: suite.cloud.zones,
      };
    }

    test("public ones are found by exactly their name, with their name servers", async () => {
      const { account, name, id, zones } = await start();
      await suite.harness.createZone(account, { name: `sub.${name}` });
      await suite.harness.createZone(account, { name, isPrivate: true });
      const [found, ...others] = await zones.find(account, name);
      assert.deepEqual([found?.id, others], [id, []]);
      assert.ok(found && found.nameServers.length >= 2);
      for (const server of found.nameServers) assert.match(server, /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/);
      assert.deepEqual(await zones.find(account, `another.${name}`), []);
    });

    test("what is created is read at its name, and deleted again", async () => {
      const { account, name, id, zones } = await start();
      const alias: ZoneRecord = { type: "ALIAS", name, value: "d111111abcdef8.cloudfront.net" };
      const records = [cname(`www.${name}`), cname(`*.${name}`), cname(`_proof.${name}`), alias];
      await zones.create(account, id, records);
      for (const { type, value, ...record } of records) {
        const found = (await look(account, id, record.name)).filter((one) => one.type === type);
        assert.deepEqual(found, [{ type, values: [value] }]);
      }
      assert.deepEqual(await look(account, id, `ww.${name}`), []);
      await zones.delete(account, id, records);
      for (const record of records) {
        const found = await look(account, id, record.name);
        assert.deepEqual(
          found.filter(({ type }) => type === record.type),
          [],
        );
      }
    });

    test("several names are read at once, in their order, with what is between them left out", async () => {
      const { account, name, id, zones } = await start();
      const created = ["a", "_x.b", "b", "b-1", "c", "z"].map((label) => cname(`${label}.${name}`));
      await zones.create(account, id, created);
      const names = ["z", "none", "_x.b", "a", "b-1", "aa"].map((label) => `${label}.${name}`);
      const seen = await zones.look(account, id, names);
      const one = [{ type: "CNAME", values: ["target.example.net"] }];
      assert.deepEqual(seen, [one, [], one, one, one, []]);
      assert.deepEqual(await zones.look(account, id, []), []);
    });

    test("none of the records is created if another is in the way of one", async () => {
      const { account, name, id, zones } = await start();
      await suite.harness.setZoneRecord(account, id, { name: `www.${name}`, type: "TXT", value: "mine" });
      const wanted = [cname(`free.${name}`), cname(`www.${name}`)];
      await refuses(zones.create(account, id, wanted), "invalid", "RECORD_CONFLICT");
      assert.deepEqual(await look(account, id, `free.${name}`), []);
      const [only, ...others] = await look(account, id, `www.${name}`);
      assert.deepEqual([only?.type, others], ["TXT", []]);
    });

    test("what exists is not created again, and not changed", async () => {
      const { account, name, id, zones } = await start();
      await zones.create(account, id, [cname(`www.${name}`)]);
      for (const value of ["target.example.net", "another.example.net"])
        await refuses(zones.create(account, id, [cname(`www.${name}`, value)]), "invalid", "RECORD_CONFLICT");
      const found = await look(account, id, `www.${name}`);
      assert.deepEqual(found, [{ type: "CNAME", values: ["target.example.net"] }]);
    });

    test("none of the records is deleted if one is another now, or gone", async () => {
      const { account, name, id, zones } = await start();
      await zones.create(account, id, [cname(`www.${name}`), cname(`api.${name}`)]);
      const changed = [cname(`api.${name}`), cname(`www.${name}`, "another.example.net")];
      await refuses(zones.delete(account, id, changed), "invalid", "RECORD_CONFLICT");
      const gone = [cname(`api.${name}`), cname(`gone.${name}`)];
      await refuses(zones.delete(account, id, gone), "invalid", "RECORD_CONFLICT");
      assert.equal((await look(account, id, `api.${name}`)).length, 1);
    });
  });
}

/** Of a cloud whose accounts have no zones. */
export function describeNoZones(suite: CloudSuite): void {
  test("no zone is found, and none may be read or changed", async () => {
    const account = await suite.harness.connect();
    const { zones } = suite.cloud;
    const name = suite.harness.newDomain();
    assert.deepEqual(await zones.find(account, name), []);
    const record: ZoneRecord = { type: "CNAME", name: `www.${name}`, value: "target.example.net" };
    await refuses(zones.look(account, "Z1", [record.name]), "denied", "ACCESS_DENIED");
    await refuses(zones.create(account, "Z1", [record]), "denied", "ACCESS_DENIED");
    await refuses(zones.delete(account, "Z1", [record]), "denied", "ACCESS_DENIED");
  });
}
