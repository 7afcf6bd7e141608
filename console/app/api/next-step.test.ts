import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serviceWithoutDomain } from "./next-step.ts";

const HOST = "d1.cdn.example.test";
const environment = { id: "env_1", state: "LIVE", urls: [`https://${HOST}`] } as const;
const service = {
  id: "svc_1",
  name: "Site",
  type: "static",
  environmentId: "env_1",
  cdnDomainName: HOST,
} as const;

describe("the service that the first domain is for", () => {
  it("is the first that is live and takes domains", () => {
    const worker = { ...service, id: "svc_0", type: "worker", cdnDomainName: null } as const;
    assert.equal(serviceWithoutDomain([environment], [worker, service])?.id, "svc_1");
  });
  it("is none if a domain leads there, or nothing is live", () => {
    const served = { ...environment, urls: ["https://www.example.com"] };
    assert.equal(serviceWithoutDomain([served], [service]), null);
    assert.equal(serviceWithoutDomain([{ ...environment, state: "NOT_LIVE", urls: [] }], [service]), null);
  });
});
