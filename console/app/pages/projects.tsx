import type { EnvironmentRow, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { tellAttention } from "../api/attention.ts";
import { useCan } from "../api/permissions.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { readPages, useList } from "../api/query.ts";
import { FirstSteps } from "../components/first-steps.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { SiteLink } from "../components/site-link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Quiet, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { placeOfAttention } from "./attention-places.ts";

export function ProjectsPage() {
  const list = useList(readPages("overview", "listProjects", {}), "projects");
  const { may } = useCan("manage projects");
  const rows = list.items ?? [];
  const isLive = rows.some(({ environments }) => environments.some(({ state }) => state !== "NOT_LIVE"));
  return (
    <Page
      title="Projects"
      actions={
        may || rows.length > 0 ? (
          <LinkButton to={paths.newProject()} look="primary">
            New project
          </LinkButton>
        ) : undefined
      }
    >
      <Stack>
        {isLive ? null : <FirstSteps projects={rows} />}
        {rows.length === 0 ? null : (
          <Table
            caption="Projects"
            rows={rows}
            keyOf={({ id }) => id}
            more={moreOf(list)}
            columns={[
              {
                label: "Project",
                cell: ({ id, name, status }) => (
                  <>
                    <Link to={paths.project(id)}>{name}</Link>{" "}
                    {status === "ACTIVE" ? null : <Status of={status} />}
                  </>
                ),
              },
              { label: "Environments", cell: Environments },
              { label: "Last deployment", cell: LastDeployment },
              { label: "Needs attention", cell: Attention, wraps: true },
            ]}
          />
        )}
        {/* Below, because it comes later: whether a domain is served has to be asked. */}
        {isLive ? <FirstSteps projects={rows} /> : null}
      </Stack>
    </Page>
  );
}

function Environments({ environments }: ProjectRow) {
  if (environments.length === 0) return <Quiet>none yet</Quiet>;
  return (
    <Stack>
      {environments.map((environment) => (
        <div key={environment.id}>
          <Link to={paths.environment(environment.id)}>{environment.name}</Link>{" "}
          <Status of={environment.state} />
          {environment.urls.slice(0, 1).map((url) => (
            <div key={url}>
              <SiteLink host={new URL(url).host} />
            </div>
          ))}
        </div>
      ))}
    </Stack>
  );
}

/** The newest of all environments. */
function newest(environments: readonly EnvironmentRow[]) {
  const all = environments.flatMap(({ lastDeployment }) => (lastDeployment === null ? [] : [lastDeployment]));
  return all.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0] ?? null;
}

function LastDeployment({ environments }: ProjectRow) {
  const last = newest(environments);
  if (last === null) return <Quiet>never deployed</Quiet>;
  return (
    <>
      <Link to={paths.deployment(last.id)}>{titleOfCommit(last)}</Link>
      <br />
      <small>
        {last.commitAuthor === null ? null : `${last.commitAuthor}, `}
        <When at={last.createdAt} />
      </small>
    </>
  );
}

function Attention(project: ProjectRow) {
  const { attention, environments } = project;
  if (attention.length === 0) return <Quiet>nothing</Quiet>;
  const nameOf = (wanted: string | null) => environments.find(({ id }) => id === wanted)?.name ?? null;
  return (
    <ul>
      {attention.map((one) => (
        <li key={`${one.code} ${one.environmentId ?? ""}`}>
          <Link {...placeOfAttention(one, project)}>{tellAttention(one, nameOf(one.environmentId))}</Link>
        </li>
      ))}
    </ul>
  );
}
