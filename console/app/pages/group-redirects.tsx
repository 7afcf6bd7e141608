/** Which names of a group redirect to which, and whether the edge does so already. */
import { useParams } from "@tanstack/react-router";
import type { Domain } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { DOMAIN_REFRESHES } from "../api/domain-selection.ts";
import { ActionButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { GroupFrame, useGroup } from "../components/group-frame.tsx";
import { Problem } from "../components/problem.tsx";
import { Status } from "../components/status.tsx";
import { SelectField } from "../ui/field.tsx";
import { Empty, Fine, Section } from "../ui/layout.tsx";
import { Table } from "../ui/table.tsx";
import { toast } from "../ui/toast.tsx";

type Props = {
  readonly domains: readonly Domain[];
  /** Why the caller must not change them; null: they may. */
  readonly reason: string | null;
};

export function GroupRedirectsPage() {
  const { groupId } = useParams({ from: "/shell/groups/$groupId/redirects" });
  const of = useGroup(groupId);
  return (
    <GroupFrame of={of}>
      {of.error === null ? null : <Problem error={of.error} />}
      {of.domains === undefined ? null : <GroupRedirects domains={of.domains} reason={of.reason} />}
    </GroupFrame>
  );
}

function GroupRedirects({ domains, reason }: Props) {
  const names = domains.filter(({ type, status }) => type !== "WILDCARD" && status !== "DETACHING");
  const shown = domains.filter(({ redirectStatus }) => redirectStatus !== null);
  if (names.length < 2 && shown.length === 0)
    return (
      <Empty title="Nothing to redirect">
        A name can redirect to another name of its group, such as www.example.com to example.com. This group
        has fewer than two names for that.
      </Empty>
    );
  return (
    <Section title="Redirects">
      {shown.length === 0 ? null : (
        <Table
          caption="Redirects"
          rows={shown}
          keyOf={({ id }) => id}
          columns={[
            { label: "From", cell: ({ name }) => name },
            { label: "To", cell: ({ redirectTo }) => redirectTo ?? "no redirect" },
            { label: "State", wraps: true, cell: (domain) => <State domain={domain} /> },
            { label: "", cell: (domain) => <EndButton domain={domain} reason={reason} /> },
          ]}
        />
      )}
      <RedirectForm domains={names} reason={reason} />
    </Section>
  );
}

function State({ domain }: { readonly domain: Domain }) {
  const { redirectStatus, redirectProblem } = domain;
  if (redirectStatus === "SERVED") return <Status of="SERVED" words="Redirects" tone="good" />;
  if (redirectStatus === "FAILED")
    return (
      <>
        <Status of="FAILED" words="Refused" tone="bad" />
        <Fine>
          {redirectProblem?.message} {redirectProblem?.action}
        </Fine>
      </>
    );
  if (redirectStatus === "ENDING") return <Status of="ENDING" words="Is ending" tone="busy" />;
  const words = domain.status === "ATTACHED" ? "Is starting" : "Waits until it is served";
  return <Status of="PENDING" words={words} tone="busy" />;
}

function EndButton({ domain, reason }: { readonly domain: Domain; readonly reason: string | null }) {
  const { id, name } = domain;
  return (
    <ActionButton
      label="End"
      name={`End the redirect of ${name}`}
      size="small"
      disabledReason={domain.redirectTo === null ? "It is ending." : reason}
      work={() => slipway.domains.update(id, { redirectTo: null })}
      said={`${name} no longer redirects.`}
      refreshes={DOMAIN_REFRESHES}
    />
  );
}

function RedirectForm({ domains, reason }: Props) {
  const form = useForm({
    initial: { from: "", redirectTo: "" },
    submit: ({ from, redirectTo }) => slipway.domains.update(from, { redirectTo }),
    refreshes: DOMAIN_REFRESHES,
    beginsAnew: true,
    onDone: ({ name, redirectTo }) => toast(`${name} will redirect to ${redirectTo ?? "no other name"}.`),
  });
  const { from, redirectTo } = form.values;
  const isChosen = from !== "" && redirectTo !== "";
  return (
    <FormBox
      form={form}
      action="Redirect"
      refusal={reason}
      disabledReason={isChosen ? null : "Choose two names first."}
    >
      <SelectField
        label="Name that redirects"
        options={[["", "Choose a name"], ...domains.map(({ id, name }) => [id, name] as const)]}
        {...form.field("from")}
      />
      <SelectField
        label="Name to redirect to"
        hint="Visitors keep the path. Both names have to be served before it starts."
        options={[
          ["", "Choose a name"],
          ...domains.flatMap((one) =>
            one.redirectTo === null && one.id !== from ? [[one.name, one.name] as const] : [],
          ),
        ]}
        {...form.field("redirectTo")}
      />
    </FormBox>
  );
}
