import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import { type Part, partOf, unpackPair } from "../../../edge/src/remote/parts.ts";
import { createSiteParts } from "./site-parts.ts";

const NAMES = 100_000;
const nameOf = (i: number) => `shop${i}.example.com`;
const END = "-----END CERTIFICATE-----";

function pairOf(text: string): KeyPair {
  return { certificatePem: `leaf of ${text}${END}\nauthority${END}\n`, privateKeyPem: `key of ${text}` };
}

test("with 100,000 names, a change of one name changes one small part", { timeout: 60_000 }, async () => {
  let generation = 0;
  const pairs = new Map(Array.from({ length: NAMES }, (_, i) => [nameOf(i), pairOf(nameOf(i))]));
  const parts = createSiteParts({
    distributions: { names: () => [...pairs.keys()] },
    findSite: (name) => {
      const certificate = pairs.get(name);
      return certificate === undefined ? null : { id: "one", certificate, redirectTo: null };
    },
    ownNames: [],
    mainPort: 443,
    generation: () => generation,
  });
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const first = await parts.current();
  clearInterval(timer);
  assert.ok(turns > 20, `other work runs meanwhile, ${turns} times`);
  assert.equal(await parts.current(), first);
  assert.ok(JSON.stringify(first.snapshot).length < 64 * 1024);

  const changed = nameOf(4_711);
  pairs.set(changed, pairOf("another"));
  generation += 1;
  let second = first;
  while (second === first) {
    await setImmediate();
    second = await parts.current();
  }
  const numbers = Object.keys(second.snapshot.parts);
  assert.deepEqual(
    numbers.filter((number) => second.snapshot.parts[number] !== first.snapshot.parts[number]),
    [String(partOf(changed))],
  );
  const part = (await parts.part(partOf(changed))) as Part;
  assert.equal(part.digest, second.snapshot.parts[partOf(changed)]);
  assert.equal(part.chains.length, 1);
  assert.ok(part.sites.length < 200, `${part.sites.length} names`);
  for (const site of part.sites) assert.deepEqual(unpackPair(part, site), pairs.get(site.name));

  // Another start of the server finds the names in another order.
  const again = createSiteParts({
    distributions: { names: () => [...pairs.keys()].toReversed() },
    findSite: (name) => ({ id: "one", certificate: pairs.get(name) ?? null, redirectTo: null }),
    ownNames: [],
    mainPort: 443,
    generation: () => 0,
  });
  assert.equal((await again.current()).etag, second.etag);
});

test("a name that is removed leaves its part, and a part without names is left out", async () => {
  const byNumber = (a: number, b: number) => a - b;
  let names = ["one.example", "two.example"];
  let generation = 0;
  const parts = createSiteParts({
    distributions: { names: () => names },
    findSite: (name) => (names.includes(name) ? { id: name, certificate: null, redirectTo: null } : null),
    ownNames: [],
    mainPort: 443,
    generation: () => generation,
  });
  const keysOf = async () =>
    Object.keys((await parts.current()).snapshot.parts)
      .map(Number)
      .toSorted(byNumber);
  assert.deepEqual(await keysOf(), names.map(partOf).toSorted(byNumber));
  names = ["two.example"];
  generation += 1;
  while ((await keysOf()).length > 1) await setImmediate();
  assert.equal(await parts.part(partOf("one.example")), null);
  assert.deepEqual(
    (await parts.part(partOf("two.example")))?.sites.map(({ name }) => name),
    ["two.example"],
  );
});
