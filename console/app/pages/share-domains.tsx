/** Creates share links for chosen domains: one for each group, because a link shows domains of one group. */
import { type ReactNode, useState } from "react";
import type { DomainRow, NewShareLink } from "../../../sdk/src/generated/types.ts";
import { type Failure, forEachItem } from "../api/bulk.ts";
import { slipway } from "../api/client.ts";
import { groupSelected } from "../api/domain-selection.ts";
import { SHARE_DAYS } from "../api/group-words.ts";
import { tellError } from "../api/problem.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Notice } from "../components/problem.tsx";
import { Button } from "../ui/button.tsx";
import { Copyable, CopyButton } from "../ui/copy.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { CheckField, SelectField } from "../ui/field.tsx";
import { saveFile } from "../ui/save-file.ts";
import css from "./domain-rows.module.css";

type Group = { readonly groupId: string; readonly rows: readonly DomainRow[] };
type Answer = { readonly links: readonly NewShareLink[]; readonly failures: readonly Failure<Group>[] };

export function ShareDomains({
  rows,
  onClose,
}: {
  readonly rows: readonly DomainRow[];
  readonly onClose: () => void;
}) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const groups = groupSelected(rows);
  const form = useForm({
    initial: { days: "7", isResent: false },
    submit: async ({ days, isResent }) => {
      const missing = answer?.failures.map(({ item }) => item) ?? groups;
      const made = await createLinks(missing, Number(days), isResent);
      const [failure] = made.failures;
      // Without a link, the form keeps its values for another attempt.
      if (answer === null && made.links.length === 0 && failure !== undefined) throw failure.error;
      return made;
    },
    refreshes: ["domainGroups"],
    onDone: ({ links, failures }) =>
      setAnswer({ links: [...(answer?.links ?? []), ...links].toSorted(byFirstDomain), failures }),
  });
  const title = rows.length === 1 ? `Share ${rows[0]?.name}` : `Share ${rows.length} domains`;
  if (answer !== null)
    return (
      <Links
        of={answer}
        title={title}
        onClose={onClose}
        retry={
          <Button isPending={form.isPending} onClick={form.submit}>
            {form.isPending ? "Creating…" : "Try again"}
          </Button>
        }
      />
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        {groups.length === 1
          ? "The owner opens a link, without an account, and sees which records to set and what is there now. It shows only the domains that you chose."
          : `Each group of domains gets a link of its own, ${groups.length} in all. Its owner opens it without an account, and sees which records to set. It shows only the domains that you chose.`}
      </p>
      <FormBox
        form={form}
        action={groups.length === 1 ? "Create a link" : `Create ${groups.length} links`}
        onCancel={onClose}
      >
        <SelectField label="It works for" options={SHARE_DAYS} {...form.field("days", "/expiresInDays")} />
        <CheckField
          label="Send again: end earlier links to these domains"
          hint="For an owner who lost the link. Earlier links that show nothing else stop working."
          {...form.field("isResent")}
        />
      </FormBox>
    </Dialog>
  );
}

async function createLinks(groups: readonly Group[], days: number, isResent: boolean): Promise<Answer> {
  const links: NewShareLink[] = [];
  const failures = await forEachItem(groups, async ({ groupId, rows }) => {
    const names = rows.map(({ name }) => name);
    const before = isResent ? await findEarlier(groupId, names) : [];
    links.push(await slipway.domainGroups.createShareLink(groupId, { expiresInDays: days, domains: names }));
    // Only after the new link exists.
    for (const id of before) await slipway.domainGroups.deleteShareLink(groupId, id);
  });
  return { links, failures };
}

/** The links of a group that show only these domains. */
async function findEarlier(groupId: string, names: readonly string[]): Promise<readonly string[]> {
  const { shareLinks } = await slipway.domainGroups.listShareLinks(groupId, { limit: 100, order: "desc" });
  return shareLinks
    .filter(({ domains }) => domains.every((name) => names.includes(name)))
    .map(({ id }) => id);
}

function byFirstDomain(
  { domains: [one = ""] }: NewShareLink,
  { domains: [other = ""] }: NewShareLink,
): number {
  return one < other ? -1 : 1;
}

function Links({
  of: { links, failures },
  title,
  onClose,
  retry,
}: {
  readonly of: Answer;
  readonly title: string;
  /** For the groups without a link. */
  readonly retry: ReactNode;
  readonly onClose: () => void;
}) {
  const text = links.map(({ domains, url }) => `${domains.join(", ")}\n${url}`).join("\n\n");
  const csv = [
    "domains,link,expires",
    ...links.map(({ domains, url, expiresAt }) => `"${domains.join(" ")}",${url},${expiresAt}`),
  ].join("\r\n");
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <p>
        Send each link to the owner of its domains. Anyone with a link can open its page. The links are shown
        only this once.
      </p>
      {failures.length === 0 ? null : (
        <Notice
          title={failures.length === 1 ? "No link for one group" : `No link for ${failures.length} groups`}
          isBad
        >
          <ul>
            {failures.map(({ item, error }) => (
              <li key={item.groupId}>
                {item.rows.map(({ name }) => name).join(", ")}:{" "}
                {tellError(error).cause ?? tellError(error).title}
              </li>
            ))}
          </ul>
          {retry}
        </Notice>
      )}
      <ul className={css["links"]}>
        {links.map(({ id, domains, url }) => (
          <li key={id}>
            <div>{domains.join(", ")}</div>
            <Copyable text={url} what={`the link for ${domains[0] ?? "no domain"}`} />
          </li>
        ))}
      </ul>
      <DialogActions>
        {links.length < 2 ? null : (
          <>
            <CopyButton text={text} what="all links" label="Copy all" />
            <Button onClick={() => saveFile("share-links.csv", "text/csv", [csv])}>Save as CSV</Button>
          </>
        )}
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
