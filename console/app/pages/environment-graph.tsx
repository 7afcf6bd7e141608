import { useParams } from "@tanstack/react-router";
import type { DomainRow, GraphNode } from "../../../sdk/src/generated/types.ts";
import { tellDomainRow } from "../api/domain-words.ts";
import { type GraphLine, pictureOf } from "../api/environment-graph.ts";
import { read, useLater, useRead } from "../api/query.ts";
import { EnvironmentFrame } from "../components/environment-frame.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { ServiceLink } from "../components/service-link.tsx";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Quiet, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { LegendOfGraph, nameOf, PictureOfGraph } from "./graph-picture.tsx";

const DOMAINS_READ = 100;

/** What the services of an environment refer to, how they do, and what leads to them. */
export function EnvironmentGraphPage() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/graph" });
  const graph = useRead(read("environments", "getGraph", environmentId));
  return (
    <EnvironmentFrame environmentId={environmentId}>
      {graph.nodes.length < 2 ? (
        <Empty
          title="There is nothing to map yet."
          action={<LinkButton to={paths.environment(environmentId)}>See its services</LinkButton>}
        >
          The map shows which services refer to each other. This environment has{" "}
          {graph.nodes.length === 0 ? "no service" : "one service"}.
        </Empty>
      ) : (
        <Graph environmentId={environmentId} nodes={graph.nodes} picture={pictureOf(graph)} />
      )}
    </EnvironmentFrame>
  );
}

type Props = {
  readonly environmentId: string;
  readonly nodes: readonly GraphNode[];
  readonly picture: ReturnType<typeof pictureOf>;
};

function Graph({ environmentId, nodes, picture }: Props) {
  const domains = useLater(read("overview", "listDomains", { environmentId, limit: DOMAINS_READ }));
  const rows = Map.groupBy(domains.data?.domains ?? [], ({ serviceId }) => serviceId);
  const { lines } = picture;
  return (
    <Stack>
      <PictureOfGraph environmentId={environmentId} nodes={nodes} picture={picture} />
      <LegendOfGraph />
      {domains.error === null ? null : <Problem error={domains.error} />}
      <Table
        caption="Services, and what each refers to"
        rows={nodes}
        keyOf={({ id }) => id}
        columns={[
          { label: "Service", share: 20, cell: (node) => <ServiceLink service={node} /> },
          {
            label: "Refers to",
            share: 25,
            cell: ({ id }) => (
              <References
                lines={lines.filter(({ from }) => from === id)}
                nameTo={(to) => nameOf(nodes, to)}
              />
            ),
          },
          {
            label: "Referred to by",
            share: 25,
            cell: ({ id }) => (
              <References
                lines={lines.filter(({ to }) => to === id).map((line) => ({ ...line, to: line.from }))}
                nameTo={(from) => nameOf(nodes, from)}
              />
            ),
          },
          {
            label: "Domains",
            share: 30,
            cell: ({ id }) =>
              domains.data !== undefined ? (
                <Domains serviceId={id} rows={rows.get(id) ?? []} />
              ) : domains.error === null ? (
                <span aria-busy="true">
                  <Quiet>reading…</Quiet>
                </span>
              ) : (
                <Quiet>not known</Quiet>
              ),
          },
        ]}
      />
    </Stack>
  );
}

function References({
  lines,
  nameTo,
}: {
  readonly lines: readonly GraphLine[];
  readonly nameTo: (id: string) => string;
}) {
  if (lines.length === 0) return <Quiet>nothing</Quiet>;
  return lines.map(({ to, isWaiting, variables }, index) => (
    <span key={to}>
      {index === 0 ? "" : "; "}
      {nameTo(to)} <small>{[...(isWaiting ? ["waits for its release"] : []), ...variables].join(", ")}</small>
    </span>
  ));
}

/** The first one, how it is, and how many more there are. */
function Domains({ serviceId, rows }: { readonly serviceId: string; readonly rows: readonly DomainRow[] }) {
  const [row] = rows;
  if (row === undefined) return <Quiet>none of your own</Quiet>;
  const { words, tone } = tellDomainRow(row);
  return (
    <>
      <Link to={paths.group(row.domainCertificateGroupId)}>{row.name}</Link>{" "}
      {rows.length === 1 ? (
        <Status of={row.status} words={words} tone={tone} />
      ) : (
        <Link to={paths.serviceDomains(serviceId)}>and {rows.length - 1} more</Link>
      )}
    </>
  );
}
