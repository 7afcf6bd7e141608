import { useNavigate, useSearch } from "@tanstack/react-router";
import type { DeploymentDetails, Project } from "../../../sdk/src/generated/types.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { linksOf } from "../api/git-links.ts";
import { read, useLater } from "../api/query.ts";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { SelectField } from "../ui/field.tsx";
import { Section, Skeleton } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { formatDuration } from "../ui/format-time.ts";
import { differencesOf, type Difference } from "./deployment-differences.ts";

type Props = { readonly deployment: DeploymentDetails; readonly project: Project };

/** Beside another deployment of the project, which the address names. */
export function Comparison({ deployment, project }: Props) {
  const search = useSearch({ from: "/shell/deployments/$deploymentId" });
  const navigate = useNavigate();
  const { data } = useLater(read("deployments", "list", { projectId: project.id, order: "desc", limit: 50 }));
  const others = (data?.deployments ?? []).filter(({ id }) => id !== deployment.id);
  const { with: chosen = "" } = search;
  return (
    <Section title="Compare">
      <SelectField
        label="With the deployment"
        name="with"
        value={chosen}
        options={[
          ["", others.length === 0 ? "There is no other one" : "Choose one"],
          ...others.map((one) => [one.id, `${one.commit} ${titleOfCommit(one)}`] as const),
        ]}
        onChange={(id) =>
          void navigate({
            to: ".",
            search: { ...search, with: id === "" ? undefined : id } as never,
            replace: true,
            resetScroll: false,
          })
        }
        fault={null}
      />
      {chosen === "" ? null : <Differences id={chosen} deployment={deployment} project={project} />}
    </Section>
  );
}

function Differences({ id, deployment, project }: Props & { readonly id: string }) {
  const { data: other, error } = useLater(read("deployments", "get", id));
  if (other === undefined) return error === null ? <Skeleton lines={6} /> : <Problem error={error} />;
  const { repoUrl, codeSource } = project;
  const changes = linksOf({ repoUrl, ...codeSource }, deployment, other.commitHash)?.compare ?? null;
  return (
    <>
      <Table<Difference>
        caption="What differs"
        keyOf={({ what }) => what}
        rows={differencesOf(deployment, other)}
        columns={[
          { label: "What", cell: ({ what }) => what },
          { label: `This, ${deployment.commit}`, cell: (row) => <Side of={row.here} kind={row.kind} /> },
          { label: `The other, ${other.commit}`, cell: (row) => <Side of={row.there} kind={row.kind} /> },
          { label: "Difference", cell: ({ here, there }) => (here === there ? "Same" : "Differs") },
        ]}
      />
      {changes === null ? null : (
        <p>
          <a href={changes} target="_blank" rel="noopener">
            What changed in the repository
          </a>
        </p>
      )}
    </>
  );
}

function Side({ of, kind }: { readonly of: string | null; readonly kind: Difference["kind"] }) {
  if (of === null) return <>–</>;
  if (kind === "status") return <Status of={of} />;
  return <>{kind === "duration" ? formatDuration(Number(of)) : of}</>;
}
