import { Type } from "typebox";
import {
  At,
  CreatedAt,
  Id,
  Nullable,
  NullableInstant,
  Text,
  UpdatedAt,
  Words,
} from "../../../http/schemas.ts";
import type { DnsRecord, Domain } from "../../custom-domains/custom-domain.ts";
import { DOMAIN_NAME, DomainStatusSchema, DomainTypeSchema } from "../../custom-domains/api/domain-views.ts";
import { nextLookAt, progressOf, WAITED_FOR } from "../../custom-domains/records/waits-for.ts";
import type { Deployment } from "../../deployments/deployment.ts";
import { DeploymentStatusSchema } from "../../deployments/run-views.ts";
import { DeploymentSchema, viewDeployment } from "../../deployments/views.ts";
import type { DeploymentFacts, DomainFacts } from "./row.ts";

export const DeploymentRowSchema = Type.Object(
  {
    ...DeploymentSchema.properties,
    projectName: Text("The project's name.", "Shop"),
    startedByName: Nullable(
      Text(
        "The name of the user who started it; null if it was a push, or the user is gone.",
        "Ada Lovelace",
      ),
    ),
    environments: Type.Array(
      Type.Object(
        {
          id: Id("env", "Id of the environment."),
          name: Text("Its name, or its id in the configuration if it is gone.", "Production"),
          status: DeploymentStatusSchema,
          isLive: Type.Boolean({
            description: "Whether this deployment is what runs there now.",
            examples: [true],
          }),
        },
        { title: "EnvironmentOfDeployment", description: "How far a deployment is in an environment." },
      ),
      { description: "The environments that it runs in; empty until they are known." },
    ),
  },
  { title: "DeploymentRow", description: "A deployment with what a list of deployments shows of it." },
);

export function viewDeploymentRow(deployment: Deployment, facts: DeploymentFacts) {
  const { environmentId, status } = deployment;
  const { environmentName, environments } = facts;
  const target =
    environmentId === null || environmentName === null
      ? []
      : [{ id: environmentId, name: environmentName, status, isLive: false }];
  return {
    ...viewDeployment(deployment),
    projectName: facts.projectName,
    startedByName: facts.startedByName,
    environments: environments.length > 0 ? [...environments] : target,
  };
}

export const DomainRowSchema = Type.Object(
  {
    id: Id("dom", "Id of the domain."),
    name: DOMAIN_NAME,
    status: DomainStatusSchema,
    type: DomainTypeSchema,
    domainCertificateGroupId: Id("group", "The domain certificate group of the domain."),
    serviceId: Id("svc", "The service that it leads to."),
    serviceName: Text("The service's name.", "Website"),
    environmentId: Id("env", "The service's environment."),
    environmentName: Text("The environment's name.", "Production"),
    projectId: Id("proj", "The service's project."),
    projectName: Text("The project's name.", "Shop"),
    certificateExpiresAt: NullableInstant(
      "When its certificate expires, if it is not renewed before; null until one is issued.",
      "2027-12-20T23:59:59.000Z",
    ),
    waitsFor: At(
      Nullable(
        Words(WAITED_FOR, {
          title: "WaitedFor",
          description:
            "Who has to act next: `CUSTOMER` sets a record or solves the `problem`; `SLIPWAY` is at work.",
          examples: ["CUSTOMER"],
        }),
      ),
      "Who has to act next; null: nobody.",
      null,
    ),
    problem: Nullable(Text("What the customer has to solve.", null)),
    nextCheckAt: NullableInstant(
      "When one of its DNS records is checked next; null if it has none.",
      "2026-11-20T10:41:55.000Z",
    ),
    createdAt: CreatedAt(),
    updatedAt: UpdatedAt(),
  },
  { title: "DomainRow", description: "A domain with what a list of domains shows of it." },
);

export function viewDomainRow(
  domain: Domain & { readonly records: readonly DnsRecord[] },
  facts: DomainFacts,
  now: Date,
) {
  const { id, name, status, type, groupId } = domain;
  return {
    ...facts,
    id,
    name,
    status,
    type,
    domainCertificateGroupId: groupId,
    certificateExpiresAt: facts.certificateExpiresAt?.toISOString() ?? null,
    ...progressOf(domain, domain.records),
    nextCheckAt: nextLookAt(domain.records, now)?.toISOString() ?? null,
    createdAt: domain.createdAt.toISOString(),
    updatedAt: domain.updatedAt.toISOString(),
  };
}
