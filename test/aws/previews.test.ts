/** Previews in an account: those of a template share a network, which is removed after them and the template. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../helpers/until.ts";
import { type Customer, customerOf } from "./emulator/customer.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { type AwsSlipway, type Project, startSlipway } from "./slipway.ts";

const LONG_MS = 240_000;

describe("the previews of a template on aws", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const envVariables = { CACHE: { fromService: { id: "cache", value: "connectionString" } } };
  const services = [
    { id: "api", name: "API", type: "web", startCommand: "node server.js", port: 3000, envVariables },
    { id: "cache", type: "redis" },
  ];
  const commit = "1".repeat(40);
  let emulator: Emulator;
  let slipway: AwsSlipway;
  let project: Project;
  let customer: Customer;

  before(async () => {
    emulator = await startEmulator({ motoUrl: MOTO_URL ?? "", seed: 23 });
    const started = await startSlipway(emulator);
    slipway = started;
    project = await started.createProject("previewed", services, { pr: true });
    customer = await customerOf(MOTO_URL ?? "", project.roleArn);
    emulator.platform.builds.setProgram(commit, { program: "web", word: "a preview" });
    slipway.setHead(commit);
  });
  after(async () => {
    await slipway.stop();
    await emulator.stop();
  });

  const stacks = (kind: "env" | "svc" | "store") =>
    emulator.platform.stacks.names.filter((name) => name.startsWith(`slipway-${kind}-`));
  const list = async (): Promise<readonly { id: string; environmentId: string }[]> =>
    (await slipway.api.get(`/v1/previews?projectId=${project.projectId}`)).body.previews;
  const stackOf = (environmentId: string) => `slipway-env-${environmentId.slice(4)}`;

  test("run in its network, behind one load balancer", async () => {
    for (const key of ["one", "two"]) {
      const path = `/v1/projects/${project.projectId}/previews/${key}`;
      const { status, text } = await slipway.api.put(path, { branch: "main", commit });
      assert.ok(status < 300, text);
    }
    const isReached = () =>
      emulator.edges(project.accountId).filter(({ vpcOriginId }) => vpcOriginId !== null).length === 2;
    await until(async () => isReached(), "CloudFront reaches both", LONG_MS).catch(async (error: unknown) => {
      throw new Error(JSON.stringify(await list()) + slipway.log().slice(-3_000), { cause: error });
    });
    assert.deepEqual(stacks("env"), [stackOf(project.environmentId)]);
    assert.deepEqual([stacks("svc").length, stacks("store").length], [2, 2], "each has a cache of its own");
    const types = emulator.platform.stacks.typesOf(project.accountId);
    assert.equal(types.filter((type) => type.endsWith("V2::LoadBalancer")).length, 1);
    assert.equal(types.filter((type) => type.endsWith("V2::ListenerRule")).length, 2);
    // Each runs with the role of its own environment.
    const roles = emulator.platform.roles.of(project.accountId);
    assert.equal(roles.filter((role) => role.startsWith("slipway-run-")).length, 2);
    assert.deepEqual(
      roles.filter((role) => role.startsWith("slipway-deploy-")),
      [`slipway-deploy-${project.environmentId}`],
    );
  });

  const kindsOf = async (environmentId: string) => {
    const arns = await customer.ofEnvironment(environmentId, "us-west-2");
    return [
      ...new Set(arns.map((arn) => /^arn:aws:([^:]+):[^:]*:[^:]*:([a-z-]+)/.exec(arn)?.slice(1).join(" "))),
    ];
  };

  test("have the tag of their environment on their stack and distribution, and the network that of the template", async () => {
    const network = await kindsOf(project.environmentId);
    // The emulator tags nothing that an update of a stack adds, such as the load balancer for the first web service.
    for (const kind of ["cloudformation stack", "ec2 vpc", "ec2 subnet"])
      assert.ok(network.includes(kind), `${kind} is not in ${network.join()}`);
    for (const { environmentId } of await list())
      assert.deepEqual(await kindsOf(environmentId), [
        "cloudformation stack",
        "cloudfront distribution",
        // Of its cache.
        "ec2 security-group",
      ]);
  });

  test("leave the network to the template, which takes it along", async () => {
    const previews = await list();
    for (const { id } of previews) {
      const { status, text } = await slipway.api.delete(`/v1/previews/${id}`);
      assert.ok(status < 300, text);
    }
    await until(async () => [...stacks("svc"), ...stacks("store")].length === 0, "they are removed", LONG_MS);
    assert.deepEqual((await slipway.api.get("/v1/snapshots")).body.snapshots, []);
    for (const { environmentId } of previews)
      await until(async () => (await kindsOf(environmentId)).length === 0, "nothing has its tag", LONG_MS);
    assert.deepEqual(stacks("env"), [stackOf(project.environmentId)]);
    const { status, text } = await slipway.api.delete(`/v1/projects/${project.projectId}`);
    assert.ok(status < 300, text);
    await until(async () => emulator.platform.stacks.names.length === 0, "no stack is left", LONG_MS);
    await until(
      async () => (await slipway.api.get(`/v1/projects/${project.projectId}`)).status === 404,
      "the project is deleted",
      LONG_MS,
    );
    assert.deepEqual(emulator.platform.roles.of(project.accountId), []);
  });
});
