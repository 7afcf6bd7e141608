import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphEdge } from "../../../sdk/src/generated/types.ts";
import { ENVIRONMENT, pictureOf } from "./environment-graph.ts";

const node = (id: string) => ({ id, configId: id, name: id, type: "web" as const });
const waits = (from: string, to: string): GraphEdge => ({
  kind: "DEPENDS_ON",
  fromServiceId: from,
  toServiceId: to,
  variable: null,
  property: null,
});
const gets = (from: string | null, variable: string, to: string): GraphEdge => ({
  kind: "VARIABLE",
  fromServiceId: from,
  toServiceId: to,
  variable,
  property: "url",
});
const columnsOf = (picture: ReturnType<typeof pictureOf>) =>
  Object.fromEntries(picture.places.map(({ id, column }) => [id, column]));

describe("the picture of an environment", () => {
  it("has each service to the left of all that it refers to", () => {
    const edges = [waits("web", "db"), gets("web", "API", "api"), waits("api", "db")];
    const picture = pictureOf({ nodes: [node("db"), node("api"), node("web"), node("cron")], edges });
    assert.deepEqual(columnsOf(picture), { web: 0, cron: 0, api: 1, db: 2 });
    assert.deepEqual([picture.columns, picture.rows], [3, 2]);
    const places = picture.places.map(({ column, row }) => `${column} ${row}`);
    assert.equal(new Set(places).size, places.length);
  });

  it("has one line between two services, which says all", () => {
    const edges = [waits("web", "api"), gets("web", "A", "api"), gets("web", "B", "api")];
    const { lines } = pictureOf({ nodes: [node("web"), node("api")], edges });
    assert.deepEqual(lines, [{ from: "web", to: "api", isWaiting: true, variables: ["A", "B"] }]);
  });

  it("shows the variables of the environment, if one refers to a service", () => {
    const { places, lines } = pictureOf({ nodes: [node("web")], edges: [gets(null, "SITE", "web")] });
    assert.deepEqual(
      places.map(({ id }) => id),
      [ENVIRONMENT, "web"],
    );
    assert.equal(lines[0]?.from, ENVIRONMENT);
  });

  it("ends for circles, and for a service that refers to itself", () => {
    const edges = [gets("a", "B", "b"), gets("b", "A", "a"), gets("a", "SELF", "a")];
    const picture = pictureOf({ nodes: [node("a"), node("b")], edges });
    assert.deepEqual(columnsOf(picture), { a: 0, b: 1 });
    assert.equal(picture.lines.length, 3);
  });

  it("is empty without services", () => {
    assert.deepEqual(pictureOf({ nodes: [], edges: [] }), { places: [], lines: [], columns: 0, rows: 0 });
  });
});
