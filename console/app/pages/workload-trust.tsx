import { useNavigate, useParams } from "@tanstack/react-router";
import type { WorkloadTrust } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useLater, useRead } from "../api/query.ts";
import { formatProjects, formatScopes } from "../api/user-rules.ts";
import { formatConditions, formatIssuer, workflowOf } from "../api/workload-words.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { CopyIdMenu } from "../components/copy-id-menu.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Facts, Row, Section } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Payload } from "../components/payload.tsx";
import { deleteTrust } from "./workload-trust-writes.ts";

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
      actions={<CopyIdMenu of={trust.name} id={trustId} what="the trust's id" />}
    >
      <Facts
        of={[
          ["Platform", formatIssuer(trust.issuer)],
          ["Conditions", formatConditions(trust.conditions)],
          ["Permissions", formatScopes(trust)],
          ["Projects", formatProjects(projectIds, names)],
          ["Acts as", <Link to={paths.user(trust.userId)}>A service account</Link>],
          ["Audience", <code>{trust.audience}</code>],
          ["Last used", <When at={trust.lastUsedAt} />],
          ["Created", <When at={trust.createdAt} />],
        ]}
      />
      <Section title="Workflow" actions={<CopyButton text={text} what="the workflow" label="Copy" />}>
        <p>
          Put this into <code>{file}</code> of the repository. Nothing in it is a secret.
        </p>
        <Payload label="The workflow" text={text} />
      </Section>
      <Section title="Delete">
        <p>Jobs that use this trust can no longer act. Tokens that were issued are refused within seconds.</p>
        <Row>
          <DeleteButton trust={trust} />
        </Row>
      </Section>
    </Page>
  );
}

function DeleteButton({ trust }: { readonly trust: WorkloadTrust }) {
  const { reason } = useCan("manage workload trusts");
  const navigate = useNavigate();
  const { question, ...write } = deleteTrust(trust);
  return (
    <ConfirmButton
      {...question}
      {...write}
      label="Delete the trust"
      disabledReason={reason}
      onDone={() => navigate({ to: paths.trusts() })}
    />
  );
}
