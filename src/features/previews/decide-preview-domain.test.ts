import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DomainStatus } from "../custom-domains/custom-domain.ts";
import type { Service } from "../projects/project.ts";
import {
  decidePreviewDomain,
  type DomainFacts,
  type DomainStep,
  PENDING_HOST,
} from "./decide-preview-domain.ts";

const DOMAIN = "preview.example.com";
const NAME = `*.${DOMAIN}`;

const service = (id: string, previewHost: string | null): Service => ({
  organizationId: "org_1",
  id,
  projectId: "proj_1",
  environmentId: "env_1",
  configId: id,
  name: id,
  type: "static",
  settings: { outputDirectory: ".", dependsOn: [] },
  previewHost,
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
const GATEWAY: Service = { ...service("svc_g", null), type: "previews", settings: { dependsOn: [] } };
const BELOW = service("svc_1", `site-pr-1.${DOMAIN}`);
const ELSEWHERE = service("svc_2", "site-pr-2.former.example.com");
const ALONE = service("svc_3", null);

const domain = (name: string, status: DomainStatus, isDesired = true) => ({
  id: name,
  name,
  status,
  isDesired,
});
const group = (...domains: readonly ReturnType<typeof domain>[]) => ({
  id: "group_1",
  isDeleting: false,
  domains,
});
const SERVED = group(domain(NAME, "ATTACHED"));
const of = (...services: readonly Service[]) => services.map((one) => ({ service: one, ownHost: null }));
const facts = (changes: Partial<DomainFacts>): DomainFacts => ({
  domain: DOMAIN,
  gateway: GATEWAY,
  group: SERVED,
  services: of(BELOW),
  ...changes,
});

const rows: readonly (readonly [string, Partial<DomainFacts>, DomainStep])[] = [
  [
    "nothing without a domain",
    { domain: null, gateway: null, group: null, services: of(ALONE) },
    { kind: "none" },
  ],
  ["nothing when all is as it should be", {}, { kind: "none" }],
  ["a gateway first", { gateway: null, group: null }, { kind: "createGateway" }],
  ["then its group", { group: null }, { kind: "createGroup", serviceId: GATEWAY.id, name: NAME }],
  ["the domain of an empty group", { group: group() }, { kind: "addDomain", groupId: "group_1", name: NAME }],
  [
    "the end of a group's deletion",
    { group: { ...SERVED, isDeleting: true } },
    { kind: "wait", isShort: true },
  ],
  [
    "records, which a person sets",
    { group: group(domain(NAME, "AWAITING_VERIFICATION_RECORDS_TO_BE_SET")), services: of(ALONE) },
    { kind: "wait", isShort: false },
  ],
  [
    "an error, which a person corrects",
    { group: group(domain(NAME, "ERROR_ATTACHING")) },
    { kind: "wait", isShort: false },
  ],
  ["the certificate", { group: group(domain(NAME, "ATTACHING")) }, { kind: "wait", isShort: true }],
  [
    "the end of the domain's deletion, to add it again",
    { group: group(domain(NAME, "DETACHING", false)) },
    { kind: "wait", isShort: true },
  ],
  [
    "previews from elsewhere to move when it is served",
    { services: of(BELOW, ELSEWHERE, ALONE) },
    { kind: "moveIn", services: [ELSEWHERE, ALONE], domain: DOMAIN },
  ],
  [
    "the former domain to stay until then",
    {
      group: group(domain("*.former.example.com", "ATTACHED"), domain(NAME, "CREATING")),
      services: of(ELSEWHERE),
    },
    { kind: "wait", isShort: true },
  ],
  [
    "and then to go",
    { group: group(domain("*.former.example.com", "ATTACHED"), domain(NAME, "ATTACHED")) },
    { kind: "deleteDomain", groupId: "group_1", domainId: "*.former.example.com" },
  ],
  [
    "its end",
    { group: group(domain("*.former.example.com", "DETACHING", false), domain(NAME, "ATTACHED")) },
    { kind: "wait", isShort: true },
  ],
  [
    "distributions for the previews before the domain goes",
    { domain: null, services: of(BELOW, ALONE) },
    { kind: "distribute", services: [BELOW] },
  ],
  [
    "the hosts of those",
    { domain: null, services: [{ service: BELOW, ownHost: PENDING_HOST }] },
    { kind: "wait", isShort: true },
  ],
  [
    "previews to move there",
    { domain: null, services: [{ service: BELOW, ownHost: "d1.cdn.test" }] },
    { kind: "moveOut", services: [BELOW] },
  ],
  [
    "previews of a removed gateway to move too",
    { domain: null, gateway: null, group: null },
    { kind: "distribute", services: [BELOW] },
  ],
  [
    "then the group to go",
    { domain: null, services: of(ALONE) },
    { kind: "deleteGroup", groupId: "group_1" },
  ],
  [
    "then the gateway",
    { domain: null, group: null, services: [] },
    { kind: "removeGateway", gateway: GATEWAY },
  ],
];

describe("the domain of previews needs", () => {
  for (const [what, changes, step] of rows)
    it(what, () => assert.deepEqual(decidePreviewDomain(facts(changes)), step));
});
