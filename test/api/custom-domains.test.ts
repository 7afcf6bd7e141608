import assert from "node:assert/strict";
import { request } from "node:https";
import { after, before, describe, it } from "node:test";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { clearFaults, setFault } from "../helpers/customers/sandbox-account.ts";
import {
  attach,
  createGroup,
  createProject,
  type Project,
  proveDomain,
  setDnsRecords,
  untilDomain,
  untilGone,
} from "../helpers/customers/scenario.ts";
import { until } from "../helpers/until.ts";

describe("custom domains", () => {
  let instance: Instance;
  let project: Project;
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "domains");
  });
  after(() => instance.dispose());

  const groupsPath = (service = "web") =>
    `/v1/services/${project.services[service]}/domain-certificate-groups`;

  it("are served over HTTPS once their records are set", async () => {
    const group = await createGroup(instance.admin, project.services["web"], ["www.first.example.com"], true);
    assert.equal(group.status, "DRAFT");
    assert.equal(group.cdnDistributionId, null);
    assert.equal(group.certificate, null);
    assert.equal(group.isDefaultCdn, true);
    const [{ id }] = group.createdDomains;
    const waiting = await untilDomain(instance.admin, id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const [first] = waiting.dnsRecords;
    assert.equal(first.purpose, "CERTIFICATE_DOMAIN_VERIFICATION");
    await setDnsRecords(instance.admin, waiting);
    const attached = await untilDomain(instance.admin, id, "ATTACHED");
    assert.deepEqual(
      attached.dnsRecords.map(({ purpose }: { purpose: string }) => purpose),
      ["CERTIFICATE_DOMAIN_VERIFICATION", "SERVICE_CONNECTION"],
    );
    await setDnsRecords(instance.admin, attached);
    assert.equal((await getOverTls(instance, "www.first.example.com")).status, 200);
    const settled = await until(async () => {
      const { body } = await instance.admin.get(`/v1/domain-certificate-groups/${group.id}`);
      return body.status === "ACTIVE" && body;
    }, "the group is ACTIVE");
    assert.equal(settled.certificate.status, "ISSUED");
    assert.match(settled.cdnDistributionId, /^E/);
    await until(async () => {
      const { body } = await instance.admin.post(`/v1/domains/${id}/check`);
      return body.dnsRecords.every((record: { status: string }) => record.status === "OK");
    }, "both records are seen");
  });

  it("are refused with every fault of their names beside those of the other fields", async () => {
    const { status, body } = await instance.admin.post(groupsPath(), {
      domains: ["ok.example.com", "OK.example.com.", "co.uk", "_x.example.com", 7],
      cdn: true,
    });
    assert.equal(status, 400);
    const faults = body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
    assert.deepEqual(faults.sort(), [
      "/cdn UNKNOWN_FIELD",
      "/domains/1 DUPLICATE",
      "/domains/2 PUBLIC_SUFFIX",
      "/domains/3 UNDERSCORE",
      "/domains/4 WRONG_TYPE",
    ]);
  });

  it("that are added to an attached group join it without interrupting service", async () => {
    const group = await attach(instance.admin, project.services["web"], ["www.grow.example.com"]);
    let failed = 0;
    let served = 0;
    const over = new AbortController();
    const load = (async () => {
      while (!over.signal.aborted) {
        const ok = await getOverTls(instance, "www.grow.example.com").then(
          ({ status }) => status === 200,
          () => false,
        );
        if (ok) served += 1;
        else failed += 1;
      }
    })();
    const added = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/domains`, {
      domains: ["api.grow.example.com"],
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const { id } = added.body.domains[0];
    await proveDomain(instance.admin, id);
    await untilDomain(instance.admin, id, "ATTACHED");
    over.abort();
    await load;
    assert.equal(failed, 0, `of ${served + failed} requests`);
    assert.ok(served > 0);
    await until(
      async () =>
        (await certificatesOf(instance)).filter(({ names }) => names.includes("www.grow.example.com"))
          .length === 1,
      "the replaced certificate is deleted",
    );
  });

  it("leave the edge when they are deleted, and the group is deleted with everything", async () => {
    const group = await attach(instance.admin, project.services["web"], [
      "a.leave.example.com",
      "b.leave.example.com",
    ]);
    const [first, second] = group.createdDomains;
    const deleted = await instance.admin.delete(
      `/v1/domain-certificate-groups/${group.id}/domains/${first.id}`,
    );
    assert.equal(deleted.status, 202);
    assert.equal(deleted.body.status, "DETACHING");
    await untilGone(instance.admin, `/v1/domains/${first.id}`);
    assert.equal((await getOverTls(instance, "b.leave.example.com")).status, 200);
    const gone = await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}`);
    assert.equal(gone.status, 202);
    assert.equal(gone.body.status, "DELETING");
    await untilGone(instance.admin, `/v1/domain-certificate-groups/${group.id}`);
    assert.equal((await instance.admin.get(`/v1/domains/${second.id}`)).status, 404);
    assert.deepEqual(
      (await certificatesOf(instance)).filter(({ names }) => names.includes("b.leave.example.com")),
      [],
    );
  });

  it("beyond the quota of names end in error, and a retry after removals attaches them", async () => {
    const group = await createGroup(
      instance.admin,
      project.services["web"],
      Array.from({ length: 11 }, (_, index) => `n${index}.quota.example.com`),
    );
    const failed = await untilDomain(instance.admin, group.createdDomains[0].id, "ERROR_ATTACHING");
    const { occurredAt, ...error } = failed.lastAttachmentError;
    assert.ok(Date.parse(occurredAt) > 0);
    assert.deepEqual(error, {
      code: "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT",
      message:
        "The group holds more domains than the provider's quota allows for one certificate (10 by default).",
      action:
        "Retrying without another change fails again. Before you retry, remove domains, raise the provider's quota for domain names per certificate, or put the domains in a new group.",
      retryable: false,
    });
    const extra = group.createdDomains[10].id;
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}/domains/${extra}`);
    await untilGone(instance.admin, `/v1/domains/${extra}`);
    const retried = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/retry-attachment`);
    assert.equal(retried.status, 200);
    assert.equal(retried.body.domains.length, 10);
    await untilDomain(instance.admin, group.createdDomains[0].id, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET");
    const again = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/retry-attachment`);
    assert.equal(again.status, 409);
    assert.equal(again.body.code, "NOTHING_TO_RETRY");
  });

  it("beyond the quota of a served group fail, and the others stay served", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `s${index}.served.example.com`);
    const group = await attach(instance.admin, project.services["web"], names);
    const added = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/domains`, {
      domains: ["s10.served.example.com"],
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const [{ id }] = added.body.domains;
    const failed = await untilDomain(instance.admin, id, "ERROR_ATTACHING");
    assert.equal(failed.lastAttachmentError.code, "Cloud:CERT:Error:NUMBER_OF_DOMAINS_EXCEEDS_LIMIT");
    for (const domain of group.createdDomains)
      assert.equal((await instance.admin.get(`/v1/domains/${domain.id}`)).body.status, "ATTACHED");
    assert.equal((await getOverTls(instance, "s9.served.example.com")).status, 200);
    await instance.admin.delete(`/v1/domain-certificate-groups/${group.id}/domains/${id}`);
    await until(async () => {
      const { body } = await instance.admin.get(`/v1/domain-certificate-groups/${group.id}`);
      return body.status === "ACTIVE";
    }, "the group is ACTIVE again");
    assert.equal(
      (await certificatesOf(instance)).filter(({ names: own }) => own.includes(names[0] ?? "")).length,
      1,
    );
  });

  it("whose distribution the account refuses show it, and a retry continues", async () => {
    await setFault(instance.admin, "distributions.create", "quota");
    const group = await createGroup(instance.admin, project.services["web"], ["www.refused.example.com"]);
    const [{ id }] = group.createdDomains;
    try {
      await proveDomain(instance.admin, id);
      const { lastAttachmentError } = await untilDomain(instance.admin, id, "ERROR_ATTACHING");
      assert.equal(lastAttachmentError.code, "Cloud:CDN:Error:NOT_READY");
      assert.match(lastAttachmentError.action, /quota for distributions/);
    } finally {
      await clearFaults(instance.admin);
    }
    const retried = await instance.admin.post(`/v1/domain-certificate-groups/${group.id}/retry-attachment`);
    assert.equal(retried.status, 200);
    await untilDomain(instance.admin, id, "ATTACHED");
    assert.equal(
      (await certificatesOf(instance)).filter(({ names }) => names.includes("www.refused.example.com"))
        .length,
      1,
      "the certificate was kept for the retry",
    );
  });

  it("are refused with every fault at once", async () => {
    const domains = [
      "co.uk",
      "a_b.example.com",
      "localhost",
      "127.0.0.1",
      "www.ok.example.com",
      "WWW.ok.example.com.",
      "https://x.example.com",
    ];
    const { status, body } = await instance.admin.post(groupsPath(), { domains, color: "red" });
    assert.equal(status, 400);
    assert.equal(body.code, "INVALID_REQUEST");
    const without = await instance.admin.post(groupsPath(), { domains });
    assert.deepEqual(
      without.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [
        ["/domains/0", "PUBLIC_SUFFIX"],
        ["/domains/1", "UNDERSCORE"],
        ["/domains/2", "SINGLE_LABEL"],
        ["/domains/3", "IP_ADDRESS"],
        ["/domains/5", "DUPLICATE"],
        ["/domains/6", "NOT_A_DOMAIN"],
      ],
    );
  });

  it("belong to one group, need a service that serves HTTP, and the default distribution has one group", async () => {
    await createGroup(instance.admin, project.services["web"], ["taken.example.com"]);
    const taken = await instance.admin.post(groupsPath(), {
      domains: ["taken.example.com"],
      useDefaultCdn: false,
    });
    assert.equal(taken.status, 409);
    assert.equal(taken.body.code, "DOMAIN_TAKEN");
    assert.match(
      taken.body.detail,
      /in group group_\w+\)\. Delete each from its group, or leave it out\. An admin sees all groups\.$/,
    );
    const second = await instance.admin.post(groupsPath(), { domains: ["second-default.example.com"] });
    assert.equal(second.body.code, "DEFAULT_GROUP_EXISTS");
    const worker = await instance.admin.post(groupsPath("jobs"), { domains: ["worker.example.com"] });
    assert.equal(worker.status, 422);
    assert.equal(worker.body.code, "SERVICE_TAKES_NO_DOMAINS");
    assert.match(worker.body.detail, /Choose a static, web or external service\.$/);
  });

  it("are attached in spite of throttling and lost answers, with one certificate", async () => {
    await setFault(instance.admin, "*", "lost-response", { rate: 0.3 });
    try {
      const group = await attach(instance.admin, project.services["web"], ["www.faults.example.com"]);
      assert.equal(group.createdDomains.length, 1);
    } finally {
      await clearFaults(instance.admin);
    }
    const certificates = (await certificatesOf(instance)).filter(({ names }) =>
      names.includes("www.faults.example.com"),
    );
    assert.equal(certificates.length, 1);
  });
});

type SandboxCertificate = { names: readonly string[] };

async function certificatesOf(instance: Instance): Promise<readonly SandboxCertificate[]> {
  const { body } = await instance.admin.get("/sandbox/state");
  return body.accounts.flatMap(
    (account: { certificates: { names?: string[]; domains?: (string | { name: string })[] }[] }) =>
      account.certificates.map((certificate) => ({
        names:
          certificate.names ??
          (certificate.domains ?? []).map((domain) => (typeof domain === "string" ? domain : domain.name)),
      })),
  );
}

/** A request through the edge, its certificate checked against the sandbox's CA for this very name. */
function getOverTls(instance: Instance, name: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const get = request(
      {
        host: "127.0.0.1",
        port: instance.sandbox.edgePort,
        servername: name,
        headers: { host: name },
        ca: instance.sandbox.caCertificatePem,
        agent: false,
        timeout: 30_000,
      },
      (response) => {
        response.resume();
        response.once("end", () => resolve({ status: response.statusCode ?? 0 }));
      },
    );
    get.once("timeout", () => get.destroy(new Error("The edge did not answer.")));
    get.once("error", reject);
    get.end();
  });
}
