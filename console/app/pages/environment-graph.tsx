import { useParams } from "@tanstack/react-router";
import type { DomainRow, GraphNode } from "../../../sdk/src/generated/types.ts";
import { tellDomainRow } from "../api/domain-words.ts";
import { type GraphLine, pictureOf } from "../api/environment-graph.ts";
import { read, useLater, useRead } from "../api/query.ts";
import { EnvironmentFrame } from "../components/environment-frame.tsx";
import { Link } from "../components/link.tsx";
import { Problem } from "../components/problem.tsx";
import { tellServiceType } from "../api/service-words.ts";
import { Status } from "../components/status.tsx";
import { paths } from "../paths.ts";
import { Empty, Fine, Quiet, Section, Stack } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { LegendOfGraph, nameOf, PictureOfGraph } from "./graph-picture.tsx";
import { Asking, StateOf } from "./graph-state.tsx";

/** More names would hide the services. */
const DOMAINS_SHOWN = 5;
const DOMAINS_READ = 100;

/** What the services of an environment refer to, how they do, and what leads to them. */
export function EnvironmentGraphPage() {
  const { environmentId } = useParams({ from: "/shell/environments/$environmentId/graph" });
  const graph = useRead(read("environments", "getGraph", environmentId));
  return (
    <EnvironmentFrame environmentId={environmentId}>
      <Section title="What refers to what">
        {graph.nodes.length === 0 ? (
          <Empty title="No services.">The configuration names none for this environment.</Empty>
        ) : (
          <Graph environmentId={environmentId} nodes={graph.nodes} picture={pictureOf(graph)} />
        )}
      </Section>
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
          {
            label: "Service",
            share: 18,
            cell: ({ id, name, type }) => (
              <>
                <Link to={paths.service(id)}>{name}</Link>
                <Fine>{tellServiceType(type)}</Fine>
              </>
            ),
          },
          { label: "State", share: 14, cell: ({ id }) => <StateOf serviceId={id} /> },
          {
            label: "Refers to",
            share: 19,
            cell: ({ id }) => (
              <References
                lines={lines.filter(({ from }) => from === id)}
                nameTo={(to) => nameOf(nodes, to)}
              />
            ),
          },
          {
            label: "Referred to by",
            share: 19,
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
                <Asking />
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
  return lines.map(({ to, isWaiting, variables }) => (
    <div key={to}>
      {nameTo(to)}
      <Fine>{[...(isWaiting ? ["waits for its release"] : []), ...variables].join(", ")}</Fine>
    </div>
  ));
}

function Domains({ serviceId, rows }: { readonly serviceId: string; readonly rows: readonly DomainRow[] }) {
  if (rows.length === 0) return <Quiet>none of yours</Quiet>;
  return (
    <>
      {rows.slice(0, DOMAINS_SHOWN).map((row) => {
        const { words, tone } = tellDomainRow(row);
        return (
          <div key={row.id}>
            <Link to={paths.group(row.domainCertificateGroupId)}>{row.name}</Link>{" "}
            <Status of={row.status} words={words} tone={tone} />
          </div>
        );
      })}
      {rows.length > DOMAINS_SHOWN ? (
        <Link to={paths.serviceDomains(serviceId)}>All domains of the service</Link>
      ) : null}
    </>
  );
}
