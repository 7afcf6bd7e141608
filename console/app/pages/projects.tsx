import { useNavigate } from "@tanstack/react-router";
import type { EnvironmentRow, ProjectRow } from "../../../sdk/src/generated/types.ts";
import { formatAttention } from "../api/attention.ts";
import { useMe } from "../api/permissions.ts";
import { titleOfCommit } from "../api/deployment-rules.ts";
import { newestDeployment, type ProjectHealth, healthOf } from "../api/project-health.ts";
import { readPages, useList } from "../api/query.ts";
import { siteUrlOf } from "../api/site-url.ts";
import { ActionMenu, type MenuAction } from "../components/confirm.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { moreOf } from "../components/more.ts";
import { Page } from "../components/page.tsx";
import { PermittedLink } from "../components/permitted.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Badge, Empty, Hidden, Quiet, type Tone } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { placeOfAttention } from "./attention-places.ts";
import css from "./projects.module.css";

export function ProjectsPage() {
  const list = useList(readPages("overview", "listProjects", {}), "projects");
  const rows = list.items ?? [];
  const create = (
    <PermittedLink action="manage projects" to={paths.newProject()} isPrimary>
      New project
    </PermittedLink>
  );
  return (
    <Page
      title="Projects"
      actions={
        <>
          <LinkButton to={paths.snapshots()}>Snapshots</LinkButton>
          {rows.length === 0 ? null : create}
        </>
      }
    >
      {rows.length === 0 ? (
        <Empty title="No projects yet" action={create}>
          A project is a git repository and the cloud account that it is deployed into. What it consists of is
          in its slipway.json, or is entered here. <a href="/docs#tag/projects">API reference of projects</a>
        </Empty>
      ) : (
        <Table
          caption="Projects"
          rows={rows}
          keyOf={({ id }) => id}
          more={moreOf(list)}
          filterBy={({ name, environments }) => [name, ...environments.map((one) => one.name)].join(" ")}
          columns={COLUMNS}
        />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<ProjectRow>[] = [
  {
    label: "Project",
    cell: ({ id, name }) => <Link to={paths.project(id)}>{name}</Link>,
    sortBy: ({ name }) => name,
  },
  { label: "Health", isShort: true, cell: Health, sortBy: (row) => healthOf(row).rank },
  { label: "Environments", cell: Environments },
  { label: "Last deployment", cell: LastDeployment },
  {
    label: "Deployed",
    isShort: true,
    cell: ({ environments }) => <When at={newestDeployment(environments)?.createdAt ?? null} />,
    sortBy: ({ environments }) => newestDeployment(environments)?.createdAt ?? "",
  },
  { label: "Needs attention", cell: NeedsAttention, sortBy: ({ attention }) => attention.length },
  { label: "", cell: (row) => <Actions project={row} /> },
];

function Health(project: ProjectRow) {
  const { status, words, tone }: ProjectHealth = healthOf(project);
  return <Status of={status} words={words} tone={tone} />;
}

const STATES: Readonly<Record<string, readonly [string, Tone]>> = {
  LIVE: ["live", "good"],
  PARTLY_LIVE: ["partly live", "todo"],
  NOT_LIVE: ["not live", "calm"],
};

const TEMPLATE: readonly [string, Tone] = ["not deployed itself", "calm"];

/** Each by its name, with its state as a shape. */
function Environments({ id: projectId, environments: all }: ProjectRow) {
  const environments = all.filter(({ templateId }) => templateId === null);
  const previews = all.length - environments.length;
  if (environments.length === 0) return <Quiet>none yet</Quiet>;
  return (
    <span className={css["environments"]}>
      {environments.map(({ id, name, state, isTemplate }: EnvironmentRow) => {
        const [words, tone] = isTemplate ? TEMPLATE : (STATES[state] ?? [state, "calm"]);
        return (
          <Link key={id} to={paths.environment(id)}>
            <Badge tone={tone} status={state}>
              {isTemplate ? `${name} (template)` : name}
              <Hidden>, {words}</Hidden>
            </Badge>
          </Link>
        );
      })}
      {previews === 0 ? null : (
        <Link to={paths.project(projectId)}>{previews === 1 ? "1 preview" : `${previews} previews`}</Link>
      )}
    </span>
  );
}

function LastDeployment({ environments }: ProjectRow) {
  const last = newestDeployment(environments);
  if (last === null) return <Quiet>never deployed</Quiet>;
  return <Link to={paths.deployment(last.id)}>{titleOfCommit(last)}</Link>;
}

/** The most urgent, and how many more there are. */
function NeedsAttention(project: ProjectRow) {
  const { attention, environments } = project;
  const [first, ...others] = attention;
  if (first === undefined) return <Quiet>nothing</Quiet>;
  const environment = environments.find(({ id }) => id === first.environmentId)?.name ?? null;
  return (
    <>
      <Link {...placeOfAttention(first, project)}>{formatAttention(first, environment)}</Link>
      {others.length === 0 ? null : (
        <>
          {" "}
          <Link to={paths.project(project.id)} label={`${others.length} more of ${project.name}`}>
            +{others.length}
          </Link>
        </>
      )}
    </>
  );
}

function Actions({ project }: { readonly project: ProjectRow }) {
  const { cloud } = useMe();
  const navigate = useNavigate();
  const go = (label: string, to: string, search = {}): MenuAction => ({
    label,
    onSelect: () => void navigate({ to, search: search as never }),
  });
  const { id, name, environments } = project;
  const url = environments.flatMap(({ urls }) => urls)[0];
  const actions: readonly MenuAction[] = [
    ...(url === undefined
      ? []
      : [
          {
            label: "Open the site",
            onSelect: () => void window.open(siteUrlOf(cloud, new URL(url).host), "_blank", "noopener"),
          },
        ]),
    go("Deployments", paths.deployments(), { projectId: id }),
    go("Domains", paths.domains(), { projectId: id }),
    go("Snapshots", paths.snapshots(), { projectId: id }),
    go("Members", paths.projectMembers(id)),
    go("Settings", paths.projectSettings(id)),
  ];
  return <ActionMenu of={name} actions={actions} />;
}
