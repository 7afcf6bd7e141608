/** The certificates of an own server: orders, expiry, and the CAs with what is left of their budgets. */
import type {
  CertificateAuthority,
  CertificateBudget,
  CertificateLimit,
  CertificateOrder,
  CertificateOrderParty,
  OwnServer,
  ServerCertificate,
} from "../../../sdk/src/generated/types.ts";
import { useMe } from "../api/permissions.ts";
import { Notice } from "../components/problem.tsx";
import { CopyableId } from "../ui/copy.tsx";
import { Badge, Card, Facts, Fine, Quiet, Section, Stack, type Tone } from "../ui/layout.tsx";
import { Literals } from "../ui/literals.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

type OfServer = { readonly server: OwnServer };

const PARTIES: Readonly<Record<CertificateOrderParty, readonly [string, Tone]>> = {
  CA: ["The CA", "busy"],
  OPERATOR: ["You, the operator", "bad"],
  CUSTOMER: ["Owner of the name", "todo"],
};

const ORDER_COLUMNS: readonly Column<CertificateOrder>[] = [
  { label: "Name", share: 34, cell: ({ name }) => name, sortBy: ({ name }) => name },
  {
    label: "Waits for",
    share: 26,
    cell: ({ waitsFor }) => {
      const [words, tone] = PARTIES[waitsFor];
      return <Badge tone={tone}>{words}</Badge>;
    },
    sortBy: ({ waitsFor }) => waitsFor,
  },
  { label: "Since", share: 16, cell: ({ since }) => <When at={since} />, sortBy: ({ since }) => since },
  {
    label: "Organization",
    share: 24,
    cell: ({ organizationId }) => <OrganizationOf id={organizationId} />,
  },
];

/** The names that wait for a certificate. Nothing if there are none. */
export function Orders({ server: { orders } }: OfServer) {
  const { ordering, waitingForCa, waitingForOperator, waitingForCustomer, first } = orders;
  return (
    <Section title="Names that wait for a certificate">
      {first.length === 0 ? (
        <p>No name waits.</p>
      ) : (
        <>
          <Fine>
            {ordering} ordered now; {waitingForOperator} wait for you, {waitingForCustomer} for the owners of
            the names, {waitingForCa} for a CA.
          </Fine>
          <Table
            caption="Names that wait for a certificate"
            columns={ORDER_COLUMNS}
            rows={first}
            keyOf={({ name, organizationId }) => `${name} ${organizationId ?? ""}`}
            filterBy={({ name }) => name}
            note={noteOf}
          />
          <Shown
            first={first.length}
            of={ordering + waitingForCa + waitingForOperator + waitingForCustomer}
          />
        </>
      )}
    </Section>
  );
}

const CERTIFICATE_COLUMNS: readonly Column<ServerCertificate>[] = [
  { label: "Name", share: 28, cell: ({ name }) => name, sortBy: ({ name }) => name },
  {
    label: "Expires",
    share: 14,
    cell: ({ expiresAt }) => <When at={expiresAt} />,
    sortBy: ({ expiresAt }) => expiresAt,
  },
  {
    label: "Renewal",
    share: 14,
    cell: ({ renewAt }) => <When at={renewAt} />,
    sortBy: ({ renewAt }) => renewAt,
  },
  { label: "CA", share: 22, cell: ({ directory }) => hostOf(directory) },
  {
    label: "Organization",
    share: 22,
    cell: ({ organizationId }) => <OrganizationOf id={organizationId} />,
  },
];

/** The first to expire. */
export function Certificates({ server: { certificates } }: OfServer) {
  const { total, late, first } = certificates;
  return (
    <Section title="Certificates by expiry">
      {late === 0 ? null : (
        <Notice isBad title={late === 1 ? "A renewal is late" : `${late} renewals are late`}>
          <p>
            Less than a fifth of the certificate’s life is left. It is served until it expires; the reason is
            below, or at its CA.
          </p>
        </Notice>
      )}
      {total === 0 ? (
        <p>No certificate is in use.</p>
      ) : (
        <Table
          caption="Certificates by expiry"
          columns={CERTIFICATE_COLUMNS}
          rows={first}
          keyOf={({ name, organizationId }) => `${name} ${organizationId ?? ""}`}
          filterBy={({ name }) => name}
          note={noteOf}
        />
      )}
      <Shown first={first.length} of={total} />
    </Section>
  );
}

/** The CAs: whether they work, and what is left of their budgets. */
export function Authorities({ server: { authorities } }: OfServer) {
  return (
    <Section title="Certificate authorities">
      <Stack>
        {authorities.map((authority) => (
          <Authority key={authority.directory} authority={authority} />
        ))}
      </Stack>
    </Section>
  );
}

const LIMITS: Readonly<Record<CertificateLimit, string>> = {
  orders: "New orders, in 3 hours",
  domain: "Certificates of the registered domain, in a week",
  name: "Certificates of the name, in a week",
  failures: "Failed validations of the name, in an hour",
};

const BUDGET_COLUMNS: readonly Column<CertificateBudget>[] = [
  { label: "Budget of", cell: ({ of: owner }) => owner ?? "The account" },
  { label: "Limit", cell: ({ limit }) => LIMITS[limit] },
  { label: "Left", isNumber: true, cell: ({ left, count }) => `${left} of ${count}` },
];

function Authority({ authority }: { readonly authority: CertificateAuthority }) {
  const { directory, failures, problem, clockAheadSeconds, budgets } = authority;
  return (
    <Card label={directory}>
      <Facts
        of={[
          ["Directory", <code>{directory}</code>],
          [
            "State",
            failures === 0 ? (
              <Badge tone="good">Works</Badge>
            ) : (
              <Badge tone="bad">{`${failures} failures in a row`}</Badge>
            ),
          ],
          [
            "Clock of this server",
            clockAheadSeconds === null ? "not compared yet" : tellClock(clockAheadSeconds),
          ],
        ]}
      />
      {problem === null ? null : (
        <Notice isBad title="The last request failed">
          <p>
            <Literals text={problem.message} />
          </p>
        </Notice>
      )}
      {budgets.length === 0 ? (
        <Fine>The limits of this CA are not known. It says itself when to wait.</Fine>
      ) : (
        <Table
          caption={`Budgets at ${hostOf(directory)}`}
          columns={BUDGET_COLUMNS}
          rows={budgets}
          keyOf={({ limit, of: owner }) => `${limit} ${owner ?? ""}`}
        />
      )}
    </Card>
  );
}

function noteOf({ problem }: CertificateOrder | ServerCertificate) {
  return problem === null ? null : (
    <p>
      <Literals text={problem.message} />
    </p>
  );
}

function tellClock(aheadSeconds: number): string {
  if (Math.abs(aheadSeconds) < 5) return "the same as the CA’s";
  return `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? "ahead of" : "behind"} the CA’s`;
}

function Shown({ first, of: total }: { readonly first: number; readonly of: number }) {
  return first < total ? <Fine>{`The first ${first} of ${total}.`}</Fine> : null;
}

function OrganizationOf({ id }: { readonly id: string | null }) {
  const { organization } = useMe();
  if (id === null) return <Quiet>this server</Quiet>;
  return id === organization.id ? "yours" : <CopyableId text={id} what="the organization's id" />;
}

function hostOf(directory: string): string {
  return new URL(directory).hostname;
}
