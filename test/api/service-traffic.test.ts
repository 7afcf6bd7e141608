import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { loseAccount } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";

const SERVER = `
require("node:http")
  .createServer((request, response) => {
    response.statusCode = request.url === "/broken" ? 500 : request.url === "/missing" ? 404 : 200;
    response.end("answered");
  })
  .listen(process.env.PORT, "127.0.0.1");
`;
const WEB = { id: "web", type: "web", startCommand: "node server.js", port: 3000 };
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const JOBS = { id: "jobs", type: "worker", startCommand: "sleep 1000" };

type Traffic = {
  readonly source: string | null;
  readonly problem: string | null;
  readonly stepSeconds: number;
  readonly from: string | null;
  readonly until: string | null;
  readonly points: readonly {
    readonly at: string;
    readonly requests: number;
    readonly clientErrors: number;
    readonly serverErrors: number;
  }[];
};

describe("the requests to a service", () => {
  let instance: Instance;
  let awsAccountId: string;
  let services: Readonly<Record<string, string>>;
  before(async () => {
    instance = await startInstance();
    const { admin } = instance;
    awsAccountId = await connectAccount(admin, "main");
    await integrateGit(admin);
    const files = { "server.js": SERVER, "public/index.html": "site" };
    await push(instance, "shop", withConfig(configOf([WEB, SITE, JOBS]), files));
    services = await listServices(admin, await createIacProject(admin, "shop"));
    await ended(admin, await deploy(admin, "shop"));
  });
  after(() => instance.dispose());

  const read = async (name: string, hours = 24): Promise<Traffic> => {
    const { status, body, text } = await instance.admin.get(
      `/v1/services/${services[name]}/traffic?hours=${hours}`,
    );
    assert.equal(status, 200, text);
    return body;
  };
  const sumsOf = ({ points }: Traffic) =>
    (["requests", "clientErrors", "serverErrors"] as const).map((of) =>
      points.reduce((sum, point) => sum + point[of], 0),
    );

  it("are counted at the edge, with their errors, apart from those of other services", async () => {
    for (const page of ["/", "/", "/missing", "/broken"])
      await getPage(instance, services["web"] ?? "", page);
    const seen = await until(async () => {
      const traffic = await read("web");
      return sumsOf(traffic)[0] === 4 && traffic;
    }, "all four are counted");
    assert.deepEqual(sumsOf(seen), [4, 1, 1]);
    assert.deepEqual([seen.source, seen.problem, seen.stepSeconds], ["SANDBOX", null, 900]);
    assert.deepEqual(sumsOf(await read("site")), [0, 0, 0]);
    assert.equal((await read("site")).source, "SANDBOX");
  });

  it("are reported in steps that follow each other, from the first count to now", async () => {
    const { from, until: to, points, stepSeconds } = await read("web", 1);
    assert.equal(stepSeconds, 60);
    assert.ok(points.length >= 1);
    for (const [index, { at }] of points.entries()) {
      assert.equal(Date.parse(at), Date.parse(points[0]?.at ?? "") + index * stepSeconds * 1_000);
    }
    assert.ok(Date.parse(points[0]?.at ?? "") > Date.parse(from ?? "") - stepSeconds * 1_000);
    assert.ok(Date.parse(points.at(-1)?.at ?? "") < Date.parse(to ?? ""));
    assertRefused(
      await instance.admin.get(`/v1/services/${services["web"]}/traffic?hours=25`),
      400,
      "INVALID_REQUEST",
    );
  });

  it("are unknown from before a restart of the sandbox, not none", async () => {
    const before = await read("web");
    instance = await instance.restart();
    const { from } = await until(async () => {
      const traffic = await read("web");
      return traffic.source !== null && traffic;
    }, "the sandbox reports again");
    assert.ok(Date.parse(from ?? "") >= Date.parse(before.until ?? ""));
  });

  it("are unknown, with the reason, if they are not counted", async () => {
    const unknown = { source: null, from: null, until: null, points: [] };
    const { problem: ofWorker, stepSeconds: _, ...worker } = await read("jobs");
    assert.deepEqual(worker, { serviceId: services["jobs"], ...unknown });
    assert.match(ofWorker ?? "", /worker/);
    await loseAccount(instance.admin, awsAccountId);
    const { problem } = await until(async () => {
      const traffic = await read("web");
      return traffic.source === null && traffic;
    }, "the account is lost");
    assert.match(problem ?? "", /cloud/);
  });
});
