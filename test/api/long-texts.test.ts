/**
 * The time that a request takes must not grow with a text of the caller's choice (T8): every text of a path, a query and
 * a body is sent as long as it may come, and the process must stay responsive.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Operation, type Place, readOperations } from "../helpers/document/operations.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";

/** Of a body, below the limit of 1 MiB; of a path or a query, below Node's limit for all headers. */
const BODY_CHARACTERS = 500_000;
const PATH_CHARACTERS = 12_000;
/** Of a processor. Reading and refusing a body of 1 MB takes about 30; work by the square of a text takes seconds. */
const MOST_MS = 400;

const repeated = (part: string, length: number) => part.repeat(Math.floor(length / part.length));
const TEXTS = { path: ["a", "xn--a."], query: ["a", "xn--a.", "-"], body: ["a.", "{{"] } as const;

/** A body with `value` at a pointer; `*` stands for as many members as fit. */
function bodyWith(pointer: string, value: string): unknown {
  const [first, ...rest] = pointer.split("/").slice(1);
  if (first === undefined) return value;
  const inner = bodyWith(rest.length === 0 ? "" : `/${rest.join("/")}`, value);
  return first === "*" ? [inner] : { [first]: inner };
}

/** The same with many short texts in place of a long one. */
function crowdedWith(pointer: string): unknown {
  const words = Array.from({ length: 30_000 }, (_, index) => `unknown.word.no.${index}`);
  const at = pointer
    .replace(/\/\*.*$/, "")
    .split("/")
    .slice(1);
  return at.reduceRight<unknown>((inner, name) => ({ [name]: inner }), words);
}

describe("a long text", () => {
  let instance: Instance;
  let operations: readonly Operation[];
  before(async () => {
    instance = await startInstance({ env: { SLIPWAY_RATE_LIMIT_PER_MINUTE: "0" } });
    operations = await readOperations(instance.url);
  });
  after(() => instance.dispose());

  /** @returns the milliseconds of CPU time that an answer takes */
  async function costOf(route: string, place: Place, url: string, body: unknown): Promise<number> {
    const [method = "GET"] = route.split(" ");
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const before = process.cpuUsage();
    const answer = await fetch(instance.url + url, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    await answer.arrayBuffer();
    const { user, system } = process.cpuUsage(before);
    assert.ok(answer.status < 500, `${route} ${place.in} ${place.name}: ${answer.status}`);
    return (user + system) / 1_000;
  }

  async function send(route: string, place: Place, url: string, body: unknown): Promise<void> {
    let ms = await costOf(route, place, url, body);
    // A collection of garbage falls into one. What costs much costs it each time.
    for (let again = 0; again < 2 && ms >= MOST_MS; again += 1) ms = await costOf(route, place, url, body);
    assert.ok(ms < MOST_MS, `${route} ${place.in} ${place.name} takes ${ms.toFixed(0)} ms`);
  }

  for (const where of ["path", "query", "body"] as const)
    it(`in a ${where} costs little`, async () => {
      let sent = 0;
      for (const { route, texts } of operations) {
        const [, path = ""] = route.split(" ");
        const url = path.replaceAll(/\{\w+\}/g, "x");
        for (const place of texts.filter((one) => one.in === where)) {
          for (const text of TEXTS[where]) {
            const inUrl = repeated(text, PATH_CHARACTERS);
            if (where === "path")
              await send(
                route,
                place,
                path.replace(`{${place.name}}`, inUrl).replaceAll(/\{\w+\}/g, "x"),
                undefined,
              );
            else if (where === "query") await send(route, place, `${url}?${place.name}=${inUrl}`, undefined);
            else await send(route, place, url, bodyWith(place.name, repeated(text, BODY_CHARACTERS)));
            sent += 1;
          }
          if (where === "body") await send(route, place, url, crowdedWith(place.name));
        }
      }
      assert.ok(sent > 50, `only ${sent} were sent`);
    });

  it("that names no type of events is compared with no type", async () => {
    const asked = Array.from({ length: 40 }, async () => {
      const answer = await instance.admin.get(`/v1/events?types=${"q".repeat(1_990)}`);
      assert.equal(answer.status, 400);
      assert.doesNotMatch(answer.text, /nearest/);
    });
    const startedAt = performance.now();
    await Promise.all(asked);
    // 26 ms each on the machine of the audit.
    assert.ok(performance.now() - startedAt < 1_000);
    const near = await instance.admin.get("/v1/events?types=domain.atached");
    assert.match(near.text, /the nearest is \\"domain.attached\\"/);
  });
});
