import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, it } from "node:test";
import { PLACES } from "./components/places.ts";
import { paths } from "./paths.ts";

describe("the addresses of the console", () => {
  it("each lead to a page of the routes, and each page has one", async () => {
    const routes: string[] = [];
    for await (const file of glob("routes{.tsx,/*.tsx}", { cwd: import.meta.dirname })) {
      const text = await readFile(path.join(import.meta.dirname, file), "utf8");
      routes.push(...[...text.matchAll(/^ {2}path: "([^"]+)",$/gm)].map(([, one = ""]) => one));
    }
    const built = Object.values(paths).map((make) => make("a_1", "b_2"));
    const patterns = routes.map((route) => new RegExp(`^${route.replaceAll(/\$\w+/g, "[ab]_[12]")}$`));
    for (const address of built)
      assert.ok(
        patterns.some((pattern) => pattern.test(address)),
        address,
      );
    assert.equal(new Set(built).size, built.length);
    assert.equal(built.length, routes.length);
  });

  it("of the navigation cover themselves, and no other place", () => {
    const places = PLACES.flatMap((group) => group.places);
    for (const { to } of places) {
      const covering = places.filter(({ covers }) => covers.test(to));
      assert.deepEqual(
        covering.map((place) => place.to),
        [to],
      );
    }
  });
});
