/** The own server that Slipway runs on. Only for admins of the operator's organization. */
import type { EdgeState, OwnServer, ServerEdge } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { isForbidden } from "../api/problem.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { DocsLink } from "../components/docs-link.tsx";
import { Page } from "../components/page.tsx";
import { Notice, Problem } from "../components/problem.tsx";
import { paths } from "../paths.ts";
import { Badge, Empty, Facts, Quiet, Section, Skeleton, Stack, type Tone } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { Authorities, Certificates, Orders } from "./server-certificates.tsx";

export function ServerPage() {
  return (
    <Page
      title="This server"
      lead="Its edges and certificates, for the domains of all organizations."
      crumbs={[["Cloud accounts", paths.accounts()]]}
      actions={
        <ActionButton
          label="Check again"
          work={() => slipway.admin.getOwnServer()}
          said="Checked."
          refreshes={["admin"]}
        />
      }
    >
      <Content />
    </Page>
  );
}

function Content() {
  const { data, error } = useLater(read("admin", "getOwnServer"));
  if (data === undefined) {
    if (error === null) return <Skeleton lines={20} label="Loading the state of the server" />;
    if (!isForbidden(error)) return <Problem error={error} />;
    return (
      <Empty title="You may not see this">
        Only admins of the organization that runs this installation see its server. The page of each domain
        shows its certificate.
      </Empty>
    );
  }
  return data.server === null ? (
    <Empty title="Slipway does not run on an own server">
      With <code>SLIPWAY_CLOUD=host</code>, Slipway serves domains from its own server, and this page shows
      its edges and certificates. <DocsLink chapter="Installation" />
    </Empty>
  ) : (
    <State server={data.server} />
  );
}

function State({ server }: { readonly server: OwnServer }) {
  const { hostname, challengeZone, valueStore, certificates, checkedAt, edges } = server;
  return (
    <>
      <Stack>
        <Facts
          of={[
            ["Domains point at", <code>{hostname}</code>],
            ["Proofs by DNS at", <code>{challengeZone.name}</code>],
            ...(valueStore === null
              ? []
              : [["Managed values in", <code key="store">{valueStore.address}</code>] as const]),
            ["Certificates in use", certificates.total],
            ["Late renewals", certificates.late],
            ["Checked", <When at={checkedAt} />],
          ]}
        />
        {challengeZone.problem === null ? null : (
          <Notice title="Proofs by DNS do not reach this server">
            <p>{challengeZone.problem}</p>
          </Notice>
        )}
        {valueStore === null || valueStore.problem === null ? null : (
          <Notice isBad title="Managed variables, builds and releases wait">
            <p>{valueStore.problem}</p>
          </Notice>
        )}
      </Stack>
      <Section title="Edges">
        <Table
          caption="Edges"
          columns={EDGE_COLUMNS}
          rows={edges}
          keyOf={({ id, startedAt }) => `${id} ${startedAt}`}
          note={noteOf}
        />
      </Section>
      <Orders server={server} />
      <Certificates server={server} />
      <Authorities server={server} />
    </>
  );
}

const STATES: Readonly<Record<EdgeState, readonly [string, Tone]>> = {
  CURRENT: ["Serves the current state", "good"],
  BEHIND: ["Serves an older state or none", "todo"],
  SILENT: ["Does not report", "bad"],
};

const EDGE_COLUMNS: readonly Column<ServerEdge>[] = [
  { label: "Edge", cell: ({ id }) => id, sortBy: ({ id }) => id },
  {
    label: "State",
    isShort: true,
    cell: ({ state, unreachable }) => {
      const [words, tone] = STATES[state];
      return unreachable.length > 0 && state === "CURRENT" ? (
        <Badge tone="bad">Cannot be reached</Badge>
      ) : (
        <Badge tone={tone}>{words}</Badge>
      );
    },
  },
  { label: "Addresses", cell: ({ addresses }) => addresses.join(", ") || <Quiet>none set</Quiet> },
  { label: "Last report", isShort: true, cell: ({ reportedAt }) => <When at={reportedAt} /> },
  { label: "Names", isNumber: true, cell: ({ names }) => names ?? <Quiet>all</Quiet> },
  { label: "Version", isShort: true, cell: ({ version }) => version },
];

function noteOf({ unreachable, state }: ServerEdge) {
  if (unreachable.length === 0) return null;
  const todo =
    state === "SILENT"
      ? "Start the edge, or remove its address from the DNS."
      : "Open the ports in its firewall, also to the main machine.";
  return (
    <p>
      No connection to {unreachable.join(", ")}. {todo}
    </p>
  );
}
