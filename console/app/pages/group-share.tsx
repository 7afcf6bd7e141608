/** Links by which the owner of the domains sees what to set, without an account. */
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { Domain, NewShareLink, ShareLink } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { SHARE_DAYS } from "../api/group-words.ts";
import { readPages, useList } from "../api/query.ts";
import { ConfirmButton } from "../components/confirm.tsx";
import { FormBox, useForm } from "../components/form.tsx";
import { GroupFrame, useGroup } from "../components/group-frame.tsx";
import { moreOf } from "../components/more.ts";
import { Problem } from "../components/problem.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { SelectField } from "../ui/field.tsx";
import { Fine, Section, Skeleton } from "../ui/layout.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { When } from "../ui/time.tsx";

type Props = {
  readonly groupId: string;
  /** The names of the group's domains. */
  readonly names: readonly string[];
  readonly reason: string | null;
};

export function GroupSharePage() {
  const { groupId } = useParams({ from: "/shell/groups/$groupId/share" });
  const of = useGroup(groupId);
  const names = of.domains?.filter(({ status }) => !LEAVING.has(status)).map(({ name }) => name);
  return (
    <GroupFrame of={of}>
      {of.error === null ? null : <Problem error={of.error} />}
      {names === undefined ? null : <ShareWithOwner groupId={groupId} names={names} reason={of.reason} />}
    </GroupFrame>
  );
}

/** Domains that are being deleted; share links do not show them. */
const LEAVING: ReadonlySet<Domain["status"]> = new Set(["DETACHING", "ERROR_DETACHING"]);

function ShareWithOwner({ groupId, names, reason }: Props) {
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
        only the domains that the group has when you create it. Domains that you add to the group later are
        not shown until you add them to the link, too.
      </p>
      <FormBox form={form} action="Create a link" refusal={reason} isInline>
        <SelectField label="It works for" options={SHARE_DAYS} {...form.field("days", "/expiresInDays")} />
      </FormBox>
      <ShareLinks groupId={groupId} names={names} reason={reason} />
      {made === null ? null : (
        <SecretOnce
          title="A link for the owner"
          what="the link"
          secret={made.url}
          onDone={() => setMade(null)}
        >
          <p>It shows {made.domains.join(", ")}.</p>
          <p>Send it to the person who sets the records. Anyone with the link can open the page.</p>
        </SecretOnce>
      )}
    </Section>
  );
}

function ShareLinks({ groupId, names, reason }: Props) {
  const list = useList(readPages("domainGroups", "listShareLinks", groupId, { order: "desc" }), "shareLinks");
  if (list.error !== null) return <Problem error={list.error} />;
  if (list.items === undefined) return <Skeleton lines={2} label="Loading the links" />;
  if (list.items.length === 0) return null;
  const columns: readonly Column<ShareLink>[] = [
    { label: "Shows", cell: (link) => <Shown groupId={groupId} link={link} names={names} reason={reason} /> },
    { label: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      label: "First opened",
      cell: ({ openedAt }) => (openedAt === null ? "Not yet" : <When at={openedAt} />),
    },
    { label: "Ends", cell: ({ expiresAt }) => <When at={expiresAt} /> },
    {
      label: "",
      cell: (link) => <Revoke groupId={groupId} link={link} names={names} reason={reason} />,
    },
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

/** The names that a link shows, and what adds the group's others on purpose. */
function Shown({ groupId, link, names, reason }: Props & { readonly link: ShareLink }) {
  const others = names.filter((name) => !link.domains.includes(name));
  const [first, second, ...more] = link.domains;
  const shown = [first, second].filter((name) => name !== undefined).join(", ");
  return (
    <>
      <span title={link.domains.join(", ")}>
        {shown === "" ? "No domain" : shown}
        {more.length === 0 ? null : ` and ${more.length} more`}
      </span>
      {others.length === 0 ? null : (
        <Fine>
          Not {others.length === 1 ? others[0] : `${others.length} other domains of the group`}.{" "}
          <ConfirmButton
            label={others.length === 1 ? "Add it" : "Add them"}
            name={`${others.length === 1 ? "Add it" : "Add them"} to the link: ${others.join(", ")}`}
            look="normal"
            size="small"
            disabledReason={reason}
            title="Show more domains on this link?"
            consequences={[`Anyone with the link then sees ${others.join(", ")}, too.`]}
            action="Show them"
            work={() => slipway.domainGroups.updateShareLink(groupId, link.id, { domains: names })}
            said="The link shows all domains of the group."
            refreshes={["domainGroups"]}
          />
        </Fine>
      )}
    </>
  );
}

function Revoke({ groupId, link: { id }, reason }: Props & { readonly link: ShareLink }) {
  return (
    <ConfirmButton
      label="Revoke"
      size="small"
      disabledReason={reason}
      title="Revoke this link?"
      consequences={["A person who opens it sees nothing any more."]}
      action="Revoke the link"
      work={() => slipway.domainGroups.deleteShareLink(groupId, id)}
      said="The link no longer works."
      refreshes={["domainGroups"]}
    />
  );
}
