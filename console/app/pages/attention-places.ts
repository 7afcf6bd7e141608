/** Where what needs attention in a project is solved. Pure. */
import type { Attention, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { paths } from "../paths.ts";

type Place = { readonly to: string; readonly search?: Readonly<Record<string, string | undefined>> };

/** The page that shows it, and on which something can be done about it. */
export function placeOfAttention(
  { code, environmentId }: Attention,
  project: Pick<ProjectRow, "id" | "awsAccountId" | "environments">,
): Place {
  const ofProject = { projectId: project.id };
  const environment = project.environments.find(({ id }) => id === environmentId);
  switch (code) {
    case "ACCOUNT_NOT_CONNECTED":
      return { to: paths.account(project.awsAccountId) };
    case "DEPLOYMENT_FAILED": {
      const last = environment?.lastDeployment ?? null;
      return last === null
        ? { to: paths.deployments(), search: { ...ofProject, status: "ERROR" } }
        : { to: paths.deployment(last.id) };
    }
    case "APPROVAL_AWAITED":
    case "FORK_AWAITS_APPROVAL":
      return { to: paths.approvals() };
    case "DOMAINS_AWAIT_RECORDS":
      return {
        to: paths.domains(),
        search: { ...ofProject, status: "AWAITING_VERIFICATION_RECORDS_TO_BE_SET" },
      };
    case "DOMAINS_IN_ERROR":
      return { to: paths.domains(), search: ofProject };
    case "REDEPLOY_PENDING":
      if (environmentId !== null) return { to: paths.environmentVariables(environmentId) };
  }
  // Of a newer server.
  return { to: paths.project(project.id) };
}
