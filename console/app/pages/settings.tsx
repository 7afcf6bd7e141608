import type { CheckStatus, HealthCheck } from "../../../sdk/src/generated/types.ts";
import { isForbidden } from "../api/problem.ts";
import { useCan, useMe } from "../api/permissions.ts";
import { read, useLater } from "../api/query.ts";
import { CopyIdMenu } from "../components/copy-id-menu.tsx";
import { Page } from "../components/page.tsx";
import { Problem } from "../components/problem.tsx";
import { Badge, Empty, Facts, Section, Skeleton, type Tone } from "../ui/layout.tsx";
import { Literals } from "../ui/literals.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";
import { BrandingSection } from "./branding-settings.tsx";
import { RenameForm, RetentionSection } from "./organization-settings.tsx";
import { SignInSettings } from "./sign-in-settings.tsx";

const CLOUDS = {
  sandbox: "the sandbox of this machine",
  host: "this server's own edge",
  aws: "AWS",
} as const;

/** The organization and its installation. */
export function SettingsPage() {
  const { organization, cloud } = useMe();
  const { may } = useCan("manage users");
  return (
    <Page
      title="Settings"
      lead={`The organization ${organization.name}, which deploys to ${CLOUDS[cloud]}.`}
      actions={<CopyIdMenu of={organization.name} id={organization.id} what="the organization's id" />}
    >
      <RenameForm />
      <BrandingSection />
      <RetentionSection />
      {may ? (
        <>
          <Section title="Installation">
            <Installation />
          </Section>
          <SignInSettings />
        </>
      ) : null}
    </Page>
  );
}

const TONES: Readonly<Record<CheckStatus, readonly [string, Tone]>> = {
  ok: ["Passed", "good"],
  warning: ["Warning", "todo"],
  failed: ["Failed", "bad"],
  skipped: ["Not checked", "calm"],
};
const COLUMNS: readonly Column<HealthCheck>[] = [
  { label: "Check", share: 18, cell: ({ code }) => formatCheck(code) },
  {
    label: "Result",
    share: 14,
    cell: ({ status }) => {
      const [words, tone] = TONES[status];
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { label: "Finding", wraps: true, share: 38, cell: ({ says }) => <Literals text={says} /> },
  { label: "What to do", wraps: true, share: 30, cell: ({ fix }) => <Literals text={fix ?? "–"} /> },
];

function formatCheck(code: string): string {
  const words = code.replaceAll("_", " ").toLowerCase();
  return code === "DNS" ? code : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Only for admins of the organization that runs the installation. */
function Installation() {
  const { data, error } = useLater(read("admin", "getHealth"));
  if (data === undefined) {
    if (error === null) return <Skeleton lines={10} label="Checking the installation" />;
    if (isForbidden(error))
      return (
        <Empty title="You may not see this">
          Only admins of the organization that runs this installation see its version and its health.
        </Empty>
      );
    return <Problem error={error} />;
  }
  return (
    <>
      <Facts
        of={[
          ["Version", data.release],
          ["Checked", <When at={data.checkedAt} />],
        ]}
      />
      <Table
        caption="Checks of the installation"
        columns={COLUMNS}
        rows={data.checks}
        keyOf={({ code }) => code}
      />
    </>
  );
}
