/** A disk that is full when the CA's certificate is to be stored, as a small file system of the test's own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT, startCa, startEngine, startWorld } from "../helpers/host/acme-fixture.ts";
import { startCaProxy } from "../helpers/host/ca-proxy.ts";
import { mountSmallDisk } from "../helpers/processes/small-disk.ts";
import { until } from "../helpers/until.ts";

const disk = mountSmallDisk(16);

test(
  "a certificate that finds no space is stored once there is some",
  { skip: disk === null && "needs root" },
  async (t) => {
    assert.ok(disk !== null);
    const world = { ...(await startWorld(t)), folder: disk.folder };
    const ca = await startCa(t, world);
    const proxy = await startCaProxy(ca);
    t.after(() => proxy.stop());
    const warned: string[] = [];
    const log = {
      info: () => undefined,
      warn: (_fields: object, message: string) => void warned.push(message),
    };
    const config = { directory: proxy.directory, caFile: proxy.caPem };
    const acme = await startEngine(t, world, config, { log });
    // After the engine has closed its files.
    t.after(() => disk.dispose());
    for (const name of ["a.example", "b.example"]) world.names.set(name, "A", "127.0.0.1");
    const kept = await acme.issue("b.example");
    proxy.use({
      after({ path }, answer) {
        if (path.startsWith("/certZ/")) disk.fill();
        return answer;
      },
    });
    const { id } = acme.certificates.request(ACCOUNT, ["a.example"], "t");
    const said = await until(() => warned.find((one) => one.includes("disk")), "the operator reads why");
    assert.match(said, /is full, so a certificate cannot be stored\. Free some space; Slipway tries again/);
    assert.equal(acme.statusOf(id), "PENDING_VALIDATION");
    assert.ok(acme.certificates.keyPairFor(kept, "b.example"), "what is there is served");
    // A request that cannot be kept fails, and is not remembered.
    assert.throws(() => acme.certificates.request(ACCOUNT, ["c.example"], "full"), /disk is full/);
    assert.equal(acme.certificates.list(ACCOUNT).length, 2);
    proxy.use({});
    disk.clear();
    await until(() => acme.statusOf(id) === "ISSUED", "it is stored without an action", 30_000);
    assert.equal([...ca.log().matchAll(/Added order/g)].length, 2, "with the order that it had");
    assert.equal([...ca.log().matchAll(/Issued certificate/g)].length, 2);
  },
);
