/**
 * ACM certificates for CloudFront, in us-east-1. ACM keeps an idempotency token for only an hour, so
 * each request first looks, by tag, for the certificate that the token has already requested.
 */
import {
  type CertificateDetail,
  type CertificateSummary,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  type DomainValidation,
  KeyAlgorithm,
  ListCertificatesCommand,
  type ListCertificatesCommandInput,
  ListTagsForCertificateCommand,
  RequestCertificateCommand,
} from "@aws-sdk/client-acm";
import {
  CERTIFICATE_STATUSES,
  CloudError,
  type ObservedCertificate,
  type Cloud,
  type CloudAccount,
} from "../../cloud.ts";
import { shortNameFirst } from "../../adapter-rules.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, hasName, nullIfGone } from "../calls/errors.ts";
import { hasTag, isOurs, tagsFor, TOKEN_TAG, tokenDigest } from "../calls/tags.ts";

/** The quota of every account unless raised. Only requests above it can exceed a quota. */
const DEFAULT_NAMES_QUOTA = 10;
const PAGE_SIZE = 1_000;
/** Without the key types, ACM lists only certificates with RSA keys. */
const RENEWABLE = {
  CertificateStatuses: ["PENDING_VALIDATION", "ISSUED", "INACTIVE"],
  Includes: { keyTypes: Object.values(KeyAlgorithm) },
} satisfies Pick<ListCertificatesCommandInput, "CertificateStatuses" | "Includes">;

export function createCertificates(call: Call): Cloud["certificates"] {
  async function* list(
    account: CloudAccount,
    filter: Pick<ListCertificatesCommandInput, "CertificateStatuses" | "Includes"> = {},
  ): AsyncGenerator<CertificateSummary> {
    const api = "acm:ListCertificates";
    let nextToken: string | undefined;
    do {
      const command = new ListCertificatesCommand({ ...filter, MaxItems: PAGE_SIZE, NextToken: nextToken });
      const page = await call(account, api, command);
      yield* required(page.CertificateSummaryList, api);
      nextToken = page.NextToken;
    } while (nextToken !== undefined);
  }

  async function findByToken(
    account: CloudAccount,
    names: readonly string[],
    token: string,
  ): Promise<string | null> {
    for await (const { CertificateArn, DomainName } of list(account)) {
      // Reading tags costs one call per certificate, so only certificates with the right first name are read.
      if (CertificateArn === undefined || DomainName !== names[0]) continue;
      const command = new ListTagsForCertificateCommand({ CertificateArn });
      const answer = await call(account, "acm:ListTagsForCertificate", command).catch(nullIfGone);
      if (isOurs(account, answer?.Tags) && hasTag(answer?.Tags, TOKEN_TAG, token)) return CertificateArn;
    }
    return null;
  }

  async function describe(account: CloudAccount, id: string): Promise<ObservedCertificate | null> {
    const api = "acm:DescribeCertificate";
    const command = new DescribeCertificateCommand({ CertificateArn: id });
    const answer = await call(account, api, command).catch(nullIfGone);
    return answer && readCertificate(id, required(answer.Certificate, api));
  }

  return {
    describe,

    async list(account) {
      const found: { readonly id: string; readonly names: readonly string[] }[] = [];
      for await (const summary of list(account, RENEWABLE)) {
        const { CertificateArn: id, DomainName, SubjectAlternativeNameSummaries: names = [] } = summary;
        if (id === undefined || summary.Type === "IMPORTED") continue;
        // A summary has at most a hundred names, and that of another implementation none.
        const isComplete = names.length > 0 && summary.HasAdditionalSubjectAlternativeNames !== true;
        const described = isComplete ? null : await describe(account, id);
        const own = described?.domains.map(({ name }) => name) ?? names;
        found.push({ id, names: [...new Set([...own, ...(DomainName === undefined ? [] : [DomainName])])] });
      }
      return found;
    },

    async request(account, request) {
      const api = "acm:RequestCertificate";
      const names = shortNameFirst(request.names);
      if (names === null) throw cloudError(["invalid", "FIRST_NAME_TOO_LONG"], api);
      const token = tokenDigest(request.token);
      const known = await findByToken(account, names, token);
      if (known !== null) return { id: known };
      const command = new RequestCertificateCommand({
        DomainName: names[0],
        ...(names.length > 1 ? { SubjectAlternativeNames: [...names] } : {}),
        ValidationMethod: "DNS",
        IdempotencyToken: token,
        Tags: tagsFor(account, token),
      });
      try {
        const { CertificateArn } = await call(account, api, command);
        return { id: required(CertificateArn, api) };
      } catch (error) {
        if (isNamesQuota(error, names)) {
          throw cloudError(["limit", "CERTIFICATE_NAMES_LIMIT"], api, { cause: error });
        }
        throw error;
      }
    },

    async delete(account, id) {
      const command = new DeleteCertificateCommand({ CertificateArn: id });
      try {
        await call(account, "acm:DeleteCertificate", command).catch(nullIfGone);
        return "deleted";
      } catch (error) {
        if (hasName(error, "ResourceInUseException")) return "in-use";
        throw error;
      }
    },
  };
}

/**
 * One error name stands for two quotas, which only the text distinguishes: "Certificate has too many
 * domains." and "you have reached your limit of N certificates in the last year.", as seen with AWS.
 */
function isNamesQuota(error: unknown, names: readonly string[]): boolean {
  if (names.length <= DEFAULT_NAMES_QUOTA || !hasName(error, "LimitExceededException")) return false;
  const words = error instanceof CloudError && error.cause instanceof Error ? error.cause.message : "";
  return !/more certificates|certificates in/i.test(words);
}

function readCertificate(id: string, detail: CertificateDetail): ObservedCertificate {
  const api = "acm:DescribeCertificate";
  const { Status, DomainValidationOptions: options = [] } = detail;
  // For some seconds after the request, ACM may know only the first name, and has no record yet.
  const { SubjectAlternativeNames = [], DomainName } = detail;
  const names = SubjectAlternativeNames.length > 0 ? SubjectAlternativeNames : [required(DomainName, api)];
  return {
    id,
    status: required(
      CERTIFICATE_STATUSES.find((status) => status === Status),
      api,
    ),
    failureReason: detail.FailureReason ?? null,
    domains: names.map((name) => readDomain(name, options)),
    requestedAt: required(detail.CreatedAt, api),
    issuedAt: detail.IssuedAt ?? null,
    expiresAt: detail.NotAfter ?? null,
    renewalStatus: detail.RenewalSummary?.RenewalStatus ?? null,
  };
}

function readDomain(
  name: string,
  options: readonly DomainValidation[],
): ObservedCertificate["domains"][number] {
  const option = options.find(({ DomainName }) => DomainName === name);
  const { Name, Value } = option?.ResourceRecord ?? {};
  return {
    name,
    validated: option?.ValidationStatus === "SUCCESS",
    failed: option?.ValidationStatus === "FAILED",
    record:
      Name === undefined || Value === undefined
        ? null
        : { name: withoutDot(Name), type: "CNAME", value: withoutDot(Value) },
  };
}

function withoutDot(name: string): string {
  return name.replace(/\.$/, "");
}
