import { type TUnsafe, Type } from "typebox";
import { At, CreatedAt, Id, Nullable, NullableInstant, Text, UpdatedAt, Words } from "../../http/schemas.ts";
import { LeftInAccountSchema, viewLeftInAccount } from "../cloud-accounts/views.ts";
import type { AbandonedGroup } from "./remove.ts";
import { type Certificate, GROUP_STATUSES, type Group } from "./custom-domain.ts";
import { DOMAIN_NAME, DomainSchema } from "./domain-views.ts";

export type CertificateView = {
  id: string;
  status: string;
  domains: readonly string[];
  requestedAt: string | null;
  validationDeadlineAt: string | null;
  issuedAt: string | null;
  expiresAt: string | null;
  renewalStatus: string | null;
};

const CertificateSchema: TUnsafe<CertificateView | null> = Nullable(
  Type.Object(
    {
      id: Text(
        "The provider's id; null until it exists.",
        "arn:aws:acm:us-east-1:111122223333:certificate/5e6f7a8b-1c2d-4e3f-9a0b-1c2d3e4f5a6b",
      ),
      status: Text("The provider's status, or `REQUESTING` before the certificate exists.", "ISSUED"),
      domains: Type.Array(DOMAIN_NAME, { description: "The names of the certificate." }),
      requestedAt: NullableInstant("When it was requested."),
      validationDeadlineAt: NullableInstant(
        "Deadline for setting the verification records.",
        "2026-11-23T09:30:12.000Z",
      ),
      issuedAt: NullableInstant("When it was issued.", "2026-11-20T09:38:41.000Z"),
      expiresAt: NullableInstant("When it expires. It is renewed before that.", "2027-12-20T23:59:59.000Z"),
      renewalStatus: Nullable(
        Text("The provider's status of its renewal; null when none was due yet.", null),
      ),
    },
    { title: "Certificate", description: "The TLS certificate of a group." },
  ),
);

const GROUP_FIELDS = {
  id: Id("group", "Id of the group."),
  name: Text("Display name.", "www.example.com"),
  serviceId: Id("svc", "The service of the domains."),
  status: Words(GROUP_STATUSES, {
    title: "DomainCertificateGroupStatus",
    description:
      "`DRAFT`: no domains. `PROVISIONING`: work in progress. `ACTIVE`: the work is done and domains are served; `domainsInError` counts the failed ones. `ERROR`: no domain is served.",
    examples: ["ACTIVE"],
  }),
  domainsInError: Type.Integer({
    description:
      "How many of its domains are in `ERROR_ATTACHING` or `ERROR_DETACHING`; their `lastAttachmentError` says why. The other domains are not affected.",
    examples: [0],
  }),
  isDefaultCdn: Type.Boolean({
    description: "Whether it uses the default distribution of the service.",
    examples: [true],
  }),
  autoDns: Type.Boolean({
    description:
      "Whether Slipway sets the records of its domains itself, in DNS zones of the cloud account whose owner allows it.",
    examples: [false],
  }),
  cdnDistributionId: Nullable(Text("The provider's id of the distribution.", "E2QWRUHAPOMQZL")),
  cdnDomainName: Nullable(
    Text("Its host name, which SERVICE_CONNECTION records point to.", "d111111abcdef8.cloudfront.net"),
  ),
  certificate: At(CertificateSchema, "Null until a certificate is requested."),
  createdAt: CreatedAt(),
  updatedAt: UpdatedAt(),
};

export const GroupSchema = Type.Object(GROUP_FIELDS, {
  title: "DomainCertificateGroup",
  description: "Custom domains that share a certificate and a distribution.",
});

export const NewGroupSchema = Type.Object(
  {
    ...GROUP_FIELDS,
    createdDomains: Type.Array(
      Type.Object(
        { id: Id("dom", "Id of the domain."), name: DOMAIN_NAME },
        { title: "CreatedDomain", description: "A domain that was created with its group." },
      ),
      { description: "The created domains." },
    ),
  },
  { title: "NewDomainCertificateGroup", description: "A group and the domains created with it." },
);

/** The fields that differ while nothing is in the cloud yet. */
export const NEW_GROUP_EXAMPLE = {
  status: "DRAFT",
  cdnDistributionId: null,
  cdnDomainName: null,
  certificate: null,
  updatedAt: "2026-11-20T09:30:12.000Z",
};

export const GroupWithDomainsSchema = Type.Object(
  { ...GROUP_FIELDS, domains: Type.Array(DomainSchema, { description: "All domains of the group." }) },
  { title: "DomainCertificateGroupWithDomains", description: "A group with its domains." },
);

export const AbandonedGroupSchema = Type.Object(
  {
    id: Id("group", "Id of the deleted group."),
    leftInAccount: LeftInAccountSchema,
  },
  {
    title: "AbandonedDomainCertificateGroup",
    description: "A group that was deleted without access to its cloud account, and what stays there.",
  },
);

export function viewAbandonedGroup({ group, left }: AbandonedGroup) {
  return { id: group.id, leftInAccount: viewLeftInAccount(left) };
}

export function viewGroup(
  group: Group,
  certificate: Certificate | null,
  distribution: { providerId: string | null; domainName: string | null } | null,
  domainsInError: number,
) {
  const { id, name, serviceId, status, isDefaultCdn, autoDns } = group;
  return {
    id,
    name,
    serviceId,
    status,
    domainsInError,
    isDefaultCdn,
    autoDns,
    cdnDistributionId: isNew(group) ? null : (distribution?.providerId ?? null),
    cdnDomainName: isNew(group) ? null : (distribution?.domainName ?? null),
    certificate: certificate === null ? null : viewCertificate(certificate),
    createdAt: group.createdAt.toISOString(),
    updatedAt: group.updatedAt.toISOString(),
  };
}

/**
 * A new group shows no distribution (specification: null on a new group). A group that was emptied is a `DRAFT`
 * again, but not new: every change of its status counts as an update.
 */
function isNew({ status, createdAt, updatedAt }: Group): boolean {
  return status === "DRAFT" && updatedAt.getTime() === createdAt.getTime();
}

function viewCertificate(certificate: Certificate): CertificateView {
  return {
    id: certificate.providerId ?? certificate.id,
    status: certificate.status,
    domains: certificate.names,
    requestedAt: certificate.requestedAt?.toISOString() ?? null,
    validationDeadlineAt: certificate.validationDeadlineAt?.toISOString() ?? null,
    issuedAt: certificate.issuedAt?.toISOString() ?? null,
    expiresAt: certificate.expiresAt?.toISOString() ?? null,
    renewalStatus: certificate.renewalStatus,
  };
}
