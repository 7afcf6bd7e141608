import type {
  DeployedService,
  EnvironmentPlan,
  EnvironmentRun,
  PostDeploy,
} from "../../../sdk/src/generated/types.ts";
import { tellField } from "../api/field-words.ts";
import { readAll, useLater } from "../api/query.ts";
import { Link } from "../components/link.tsx";
import { SiteLink } from "../components/site-link.tsx";
import { formatServiceType } from "../api/service-words.ts";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Between, Card, Fine, Quiet } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Lasted } from "../ui/time.tsx";

type Props = {
  readonly run: EnvironmentRun;
  /** The environment's name, or its id in the configuration if it was deleted. */
  readonly name: string;
  readonly services: readonly DeployedService[];
  /** The message of the failure that is shown above all environments, which is not repeated here. */
  readonly said: string | null;
};

/** What a deployment does in one environment: its plan, and each service. */
export function RunCard({ run, name, services, said }: Props) {
  const isLive = run.status === "SUCCESS" && run.change !== "REMOVED";
  const { data } = useLater(readAll("services", "list", run.id, {}), { isWanted: isLive });
  const hosts = new Map(data?.services.map(({ id, cdnDomainName }) => [id, cdnDomainName]));
  const columns: readonly Column<DeployedService>[] = [
    { label: "Service", cell: (service) => <Link to={paths.service(service.id)}>{service.name}</Link> },
    { label: "Type", isShort: true, cell: ({ type }) => formatServiceType(type) },
    {
      label: "Status",
      isShort: true,
      cell: (service) => <Status of={service.status} words={wordsOf(service)} />,
    },
    {
      label: "Build",
      isShort: true,
      cell: ({ buildStartedAt, buildEndedAt }) => <Lasted from={buildStartedAt} to={buildEndedAt} />,
    },
    {
      label: "Release",
      isShort: true,
      cell: ({ releaseStartedAt, endedAt }) => <Lasted from={releaseStartedAt} to={endedAt} />,
    },
    { label: "Address", cell: ({ id }) => <Address host={hosts.get(id) ?? null} /> },
  ];
  return (
    <Card label={`Environment ${name}`}>
      <Between>
        <h2>
          {run.change === "REMOVED" ? name : <Link to={paths.environment(run.id)}>{name}</Link>}
          {run.change === "KEPT" ? null : (
            <Quiet>{run.change === "CREATED" ? " · new" : " · to be removed"}</Quiet>
          )}
        </h2>
        <Status of={run.status} />
      </Between>
      <Reason of={run} said={said} />
      {run.plan === null ? null : <PlanLines plan={run.plan} services={services} />}
      {services.length === 0 ? null : (
        <Table
          caption={`Services of ${name}`}
          columns={columns}
          rows={services}
          keyOf={({ id }) => id}
          note={({ error, postDeploy }) =>
            postDeploy !== null ? (
              <AfterRelease run={postDeploy} />
            ) : error === null || error.message === said || error.message === run.error?.message ? null : (
              <span>
                <code>{error.code}</code> {error.message}
              </span>
            )
          }
        />
      )}
    </Card>
  );
}

/** Why it is as it is. The first cause of a failure is said above all environments. */
function Reason({
  of: { status, error, statusReason },
  said,
}: {
  readonly of: EnvironmentRun;
  readonly said: string | null;
}) {
  const words = status === "SUCCESS" ? null : (error?.message ?? statusReason);
  return words === null || words === said ? null : <p>{words}</p>;
}

/** Only of a service that is live, so that it has no failure of its own. */
function AfterRelease({ run: { status, error, executionId } }: { readonly run: PostDeploy }) {
  return (
    <span>
      After the release: <Status of={status} /> {error?.message}{" "}
      {executionId === null ? null : <Link to={paths.execution(executionId)}>Its log</Link>}
    </span>
  );
}

function Address({ host }: { readonly host: string | null }) {
  if (host === null) return <Quiet>–</Quiet>;
  return <SiteLink host={host} />;
}

function wordsOf({ status, type }: DeployedService): string | undefined {
  if (status === "INPROGRESS") return "Built, waiting";
  return status === "SUCCESS" && type === "external" ? "Runs elsewhere" : undefined;
}

/** What the configuration changes. A service that is removed has only its id in the configuration. */
function PlanLines({ plan, services }: Pick<Props, "services"> & { readonly plan: EnvironmentPlan }) {
  const { environment, created, changed, removed, unchanged, kept } = plan;
  const nameOf = (id: string) => services.find(({ configId }) => configId === id)?.name ?? id;
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["Environment", environment.map(tellField)],
    ["New", created.map(nameOf)],
    [
      "Changed",
      changed.map(({ service, fields }) => `${nameOf(service)} (${fields.map(tellField).join(", ")})`),
    ],
    ["Removed", removed],
    [
      "Not built, because no file of it changed",
      kept.map(({ service, commitHash }) => `${service} (runs ${commitHash.slice(0, 7)})`),
    ],
    [
      "Configured as before",
      unchanged.filter((id) => !kept.some(({ service }) => service === id)).map(nameOf),
    ],
  ];
  const said = lines.filter(([, names]) => names.length > 0);
  if (said.length === 0) return <Fine>The configuration changes nothing.</Fine>;
  return <Fine>{said.map(([name, names]) => `${name}: ${names.join(", ")}`).join(" · ")}</Fine>;
}
