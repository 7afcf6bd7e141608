/**
 * ACM's rules that moto lacks: a quota of names, records that depend on name and account and appear a
 * moment after the request, validation by DNS with CAA, and certificates that are in use.
 */
import { createHash } from "node:crypto";
import { type AwsAnswer, type AwsRequest, refusal } from "./request.ts";

export const NAMES_QUOTA = 10;
const RECORDS_LAG_MS = 30;
const ISSUERS: readonly string[] = ["amazon.com", "amazontrust.com", "awstrust.com", "amazonaws.com"];

type Certificate = {
  readonly accountId: string;
  readonly names: readonly string[];
  readonly requestedAt: number;
  outcome: { readonly status: "ISSUED" | "FAILED"; readonly at: number } | null;
};

export type CertificateRules = {
  setRecord(record: { name: string; type: "CNAME" | "CAA"; value: string }): void;
  before(request: AwsRequest): AwsAnswer | null;
  after(request: AwsRequest, answer: AwsAnswer, accountId: string): AwsAnswer;
  /** Whether CloudFront accepts the certificate for these names in this account. */
  covers(arn: string, accountId: string, aliases: readonly string[]): boolean;
};

export function createCertificateRules(isInUse: (arn: string) => boolean): CertificateRules {
  const certificates = new Map<string, Certificate>();
  const dns = new Map<string, string>();
  const keyOf = (name: string, type: string) => `${type} ${name.toLowerCase().replace(/\.$/, "")}`;

  const isValidated = (accountId: string, name: string): boolean => {
    const record = recordOf(accountId, name);
    return dns.get(keyOf(record.Name, "CNAME"))?.replace(/\.$/, "") === record.Value.replace(/\.$/, "");
  };
  const isRefusedByCaa = (name: string): boolean => {
    const labels = name.replace(/^\*\./, "").split(".");
    for (let at = 0; at < labels.length; at += 1) {
      const value = dns.get(keyOf(labels.slice(at).join("."), "CAA"));
      if (value !== undefined) return !ISSUERS.some((issuer) => value.includes(`"${issuer}"`));
    }
    return false;
  };

  function settle(certificate: Certificate): void {
    if (certificate.outcome !== null) return;
    if (!certificate.names.every((name) => isValidated(certificate.accountId, name))) return;
    const status = certificate.names.some(isRefusedByCaa) ? "FAILED" : "ISSUED";
    certificate.outcome = { status, at: Math.ceil(Date.now() / 1_000) };
  }

  function rewrite(certificate: Certificate, detail: Record<string, unknown>): Record<string, unknown> {
    settle(certificate);
    const { outcome, accountId, names } = certificate;
    const { IssuedAt: _issuedAt, NotAfter, ...rest } = detail;
    const hasRecords = Date.now() - certificate.requestedAt >= RECORDS_LAG_MS;
    return {
      ...rest,
      Status: outcome?.status ?? "PENDING_VALIDATION",
      ...(outcome?.status === "FAILED" ? { FailureReason: "CAA_ERROR" } : {}),
      ...(outcome?.status === "ISSUED" ? { IssuedAt: outcome.at, NotAfter } : {}),
      DomainValidationOptions: names.map((DomainName) => ({
        DomainName,
        ValidationMethod: "DNS",
        ValidationStatus: isValidated(accountId, DomainName) ? "SUCCESS" : "PENDING_VALIDATION",
        ...(hasRecords ? { ResourceRecord: recordOf(accountId, DomainName) } : {}),
      })),
    };
  }

  return {
    setRecord: ({ name, type, value }) => void dns.set(keyOf(name, type), value),

    before({ api, body }) {
      if (api === "acm:RequestCertificate" && namesIn(body).length > NAMES_QUOTA) {
        return refusal(api, 400, "LimitExceededException", "Certificate has too many domains.");
      }
      if (api === "acm:DeleteCertificate" && isInUse(jsonIn(body)["CertificateArn"] as string)) {
        return refusal(api, 400, "ResourceInUseException", "Certificate is in use.");
      }
      return null;
    },

    after({ api, body }, answer, accountId) {
      if (answer.status !== 200) return answer;
      if (api === "acm:RequestCertificate") {
        const arn = jsonIn(answer.body)["CertificateArn"] as string;
        const requested = { accountId, names: namesIn(body), requestedAt: Date.now(), outcome: null };
        if (!certificates.has(arn)) certificates.set(arn, requested);
      }
      if (api === "acm:DescribeCertificate") {
        const certificate = certificates.get(jsonIn(body)["CertificateArn"] as string);
        if (certificate === undefined) return answer;
        const detail = jsonIn(answer.body)["Certificate"] as Record<string, unknown>;
        return {
          ...answer,
          body: Buffer.from(JSON.stringify({ Certificate: rewrite(certificate, detail) })),
        };
      }
      return answer;
    },

    covers(arn, accountId, aliases) {
      const certificate = certificates.get(arn);
      if (certificate?.accountId !== accountId) return false;
      settle(certificate);
      if (certificate.outcome?.status !== "ISSUED") return false;
      return aliases.every((alias) =>
        certificate.names.some(
          (name) => name === alias || name === `*.${alias.slice(alias.indexOf(".") + 1)}`,
        ),
      );
    },
  };
}

function recordOf(accountId: string, name: string): { Name: string; Type: "CNAME"; Value: string } {
  const bare = name.replace(/^\*\./, "");
  const hash = createHash("sha256").update(`${accountId}/${bare}`).digest("hex");
  return {
    Name: `_${hash.slice(0, 32)}.${bare}.`,
    Type: "CNAME",
    Value: `_${hash.slice(32)}.emulated.acm-validations.aws.`,
  };
}

function jsonIn(body: Buffer): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

function namesIn(body: Buffer): string[] {
  const { DomainName, SubjectAlternativeNames = [] } = jsonIn(body) as {
    DomainName: string;
    SubjectAlternativeNames?: string[];
  };
  return [...new Set([DomainName, ...SubjectAlternativeNames])];
}
