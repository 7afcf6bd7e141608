/** Many previews below one domain that open and close at once. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type PreviewTeam, startPreviewTeam, templateOf } from "../helpers/customers/previews.ts";
import { stateOf } from "../helpers/customers/sandbox-account.ts";
import { connectAccount, integrateGit, proveDomain, untilDomain } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { getFromEdge } from "../helpers/sandbox/edge-client.ts";
import { until } from "../helpers/until.ts";

const DOMAIN = "preview.shop.example.com";
/** As many as a template may have, which takes a minute or more. */
const COUNT = process.env["SLIPWAY_TEST_FULL"] === "1" ? 50 : 8;
const NUMBERS = Array.from({ length: COUNT }, (_, index) => index + 1);
const PATIENCE_MS = 200_000;

describe("many previews below a domain", () => {
  let instance: Instance;
  let awsAccountId: string;
  let team: PreviewTeam;
  before(async () => {
    instance = await startInstance();
    awsAccountId = await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
    const previews = { max: COUNT, domain: DOMAIN, access: "public" };
    team = await startPreviewTeam(instance, "shop", [templateOf("preview", { previews })]);
    for (const number of NUMBERS) await team.commit(`branch-${number}`, `page ${number}`);
    const domainId = await until(async () => {
      const { body } = await instance.admin.get(`/v1/projects/${team.projectId}/preview-domains`);
      return body.previewDomains[0]?.domainId as string | null;
    }, "the domain is added");
    await proveDomain(instance.admin, domainId);
    await untilDomain(instance.admin, domainId, "ATTACHED");
  });
  after(() => instance.dispose());

  const account = () => stateOf(instance.admin, awsAccountId);
  const putAll = (state: string) =>
    Promise.all(NUMBERS.map((number) => team.putPullRequest(number, `branch-${number}`, { state })));
  const untilAllAnswer = (
    isRight: (answer: { status: number; body: string }, number: number) => boolean,
    what: string,
  ) =>
    until(
      async () => {
        const asked = NUMBERS.map((number) => getFromEdge(instance.sandbox, `site-pr-${number}.${DOMAIN}`));
        return (await Promise.all(asked)).every((answer, index) => isRight(answer, index + 1));
      },
      what,
      PATIENCE_MS,
    );

  it("open and close at once, without a storm of updates, and leave nothing", async () => {
    const before = await account();
    await putAll("open");
    await untilAllAnswer(({ body }, number) => body === `page ${number}`, "all show their pages");
    const during = await account();
    assert.deepEqual([during.certificates.length, during.distributions.length], [1, 1]);
    const updatesOf = ({ calls }: { calls: Record<string, number> }) => calls["distributions.update"] ?? 0;
    const updates = updatesOf(during) - updatesOf(before);
    assert.ok(updates <= 2 * COUNT, `${updates} updates`);
    await putAll("closed");
    await untilAllAnswer(({ status }) => status === 404, "no name has a preview");
    await until(
      async () => JSON.stringify((await account()).services) === JSON.stringify(before.services),
      "the account has what it had before",
      PATIENCE_MS,
    );
    const { distributions, certificates } = await account();
    assert.deepEqual([certificates.length, distributions.length], [1, 1]);
    assert.equal(distributions[0].routesKey, null);
  });
});
