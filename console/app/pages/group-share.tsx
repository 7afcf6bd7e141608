/** Links by which the owner of the domains sees what to set, without an account. */
import { useState } from "react";
import type { NewShareLink, ShareLink } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { readPages, useList } from "../api/query.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { SelectField } from "../ui/field.tsx";
import { Section, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

type Props = { readonly groupId: string; readonly reason: string | null };

const DAYS: readonly (readonly [string, string])[] = [
  ["1", "A day"],
  ["7", "A week"],
  ["30", "30 days"],
];

export function ShareWithOwner({ groupId, reason }: Props) {
  const [made, setMade] = useState<NewShareLink | null>(null);
  const form = useForm({
    initial: { days: "7" },
    submit: ({ days }) => slipway.domainGroups.createShareLink(groupId, { expiresInDays: Number(days) }),
    refreshes: ["domainGroups"],
    onDone: setMade,
  });
  return (
    <Section title="Share with the owner">
      <p>
        A link to a page that shows which records to set and what is there now. It needs no account, and shows
        nothing else.
      </p>
      <FormBox form={form} action="Create a link" disabledReason={reason} isInline>
        <SelectField label="It works for" options={DAYS} {...form.field("days", "/expiresInDays")} />
      </FormBox>
      <ShareLinks groupId={groupId} reason={reason} />
      {made === null ? null : (
        <SecretOnce
          title="A link for the owner"
          what="the link"
          secret={made.url}
          onDone={() => setMade(null)}
        >
          <p>Send it to whoever sets the records. Everybody who has it sees the page.</p>
        </SecretOnce>
      )}
    </Section>
  );
}

function ShareLinks({ groupId, reason }: Props) {
  const list = useList(readPages("domainGroups", "listShareLinks", groupId, { order: "desc" }), "shareLinks");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={2} label="Loading the links" />;
  if (list.items.length === 0) return null;
  const columns: readonly Column<ShareLink>[] = [
    { label: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      label: "First opened",
      cell: ({ openedAt }) => (openedAt === null ? "Not yet" : <When at={openedAt} />),
    },
    { label: "Ends", cell: ({ expiresAt }) => <When at={expiresAt} /> },
    { label: "", cell: (link) => <Revoke groupId={groupId} link={link} reason={reason} /> },
  ];
  return (
    <Table
      caption="Share links"
      columns={columns}
      rows={list.items}
      keyOf={({ id }) => id}
      more={moreOf(list)}
    />
  );
}

function Revoke({ groupId, link: { id }, reason }: Props & { readonly link: ShareLink }) {
  return (
    <ConfirmButton
      label="Revoke"
      size="small"
      disabledReason={reason}
      title="Revoke this link?"
      consequences={["Whoever opens it sees nothing any more."]}
      action="Revoke the link"
      work={() => slipway.domainGroups.deleteShareLink(groupId, id)}
      said="The link works no more."
      refreshes={["domainGroups"]}
    />
  );
}
