import { useNavigate, useParams } from "@tanstack/react-router";
import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { tellScopes } from "../api/user-rules.ts";
import { tellConditions, tellIssuer, workflowOf } from "../api/workload-words.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Facts, Section } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Payload } from "./webhook-payload.tsx";

/** One trust, and the workflow that uses it. */
export function WorkloadTrustPage() {
  const { trustId } = useParams({ from: "/shell/workload-trusts/$trustId" });
  const trust = useRead(read("workloadTrusts", "get", trustId));
  const projects = useLater(readAll("projects", "list", {})).data?.projects ?? [];
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const { projectIds } = trust;
  const [first] = projectIds ?? projects.map(({ id }) => id);
  const { file, text } = workflowOf(trust, slipway.url, first ?? "PROJECT");
  return (
    <Page
      title={trust.name}
      crumbs={[["Workload trusts", paths.trusts()]]}
      actions={<DeleteButton trust={trust} />}
    >
      <Facts
        of={[
          ["Of", tellIssuer(trust.issuer)],
          ["If", tellConditions(trust.conditions)],
          ["May", tellScopes(trust)],
          [
            "Projects",
            projectIds === null ? "All" : projectIds.map((id) => names.get(id) ?? "a deleted one").join(", "),
          ],
          ["As", <Link to={paths.user(trust.userId)}>A service account</Link>],
          ["For", <code>{trust.audience}</code>],
          ["Last used", <When at={trust.lastUsedAt} />],
          ["Created", <When at={trust.createdAt} />],
        ]}
      />
      <Section title="Workflow" actions={<CopyButton text={text} what="the workflow" label="Copy it" />}>
        <p>
          Put this into <code>{file}</code> of the repository. Nothing in it is a secret.
        </p>
        <Payload label="The workflow" text={text} />
      </Section>
    </Page>
  );
}

function DeleteButton({ trust: { id, name } }: { readonly trust: WorkloadTrust }) {
  const { reason } = useCan("manage workload trusts");
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete the trust"
      disabledReason={reason}
      title={`Delete the trust ${name}?`}
      consequences={["Its jobs get no token any more.", "Tokens that they have are refused within seconds."]}
      action="Delete trust"
      work={() => slipway.workloadTrusts.delete(id)}
      refreshes={["workloadTrusts"]}
      onDone={() => navigate({ to: paths.trusts() })}
    />
  );
}
