/** What a search found, as the palette offers it. Pure. */
import type { SearchHit, SearchHitType } from "../../../sdk/src/generated/types.ts";
import { paths } from "../paths.ts";

const KINDS: Readonly<Record<SearchHitType, string>> = {
  project: "Project",
  environment: "Environment",
  service: "Service",
  domain: "Domain",
  domain_group: "Domain group",
  deployment: "Deployment",
  aws_account: "Cloud account",
};

/** Where a hit is shown; null for one of a newer server, which this console has no page for. */
export function pathOfHit({ type, id, domainCertificateGroupId }: SearchHit): string | null {
  switch (type) {
    case "project":
      return paths.project(id);
    case "environment":
      return paths.environment(id);
    case "service":
      return paths.service(id);
    case "domain":
      return domainCertificateGroupId === null ? null : paths.group(domainCertificateGroupId);
    case "domain_group":
      return paths.group(id);
    case "deployment":
      return paths.deployment(id);
    case "aws_account":
      return paths.account(id);
    default:
      return null;
  }
}

/** The name of a hit, and where it is, so that the user can distinguish two hits with the same name. */
export function tellHit({ type, id, name, commit, status, createdAt, ...place }: SearchHit): {
  readonly label: string;
  readonly where: string;
  readonly status: string | null;
  readonly at: string | null;
} {
  const label = name ?? (commit === null ? id : `Commit ${commit.slice(0, 7)}`);
  const above = [place.projectName, place.environmentName, place.serviceName];
  return {
    label: label.split("\n", 1)[0] ?? label,
    status,
    // Only a deployment shows its age: a project has many of them, and their names can be the same.
    at: type === "deployment" ? createdAt : null,
    where: [KINDS[type] ?? type, ...above.filter((one) => one !== null && one !== name)].join(" · "),
  };
}
