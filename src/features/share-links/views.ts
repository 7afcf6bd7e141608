import { Type } from "typebox";
import type { Domain } from "../custom-domains/custom-domain.ts";
import { CreatedAt, Id, Instant, NullableInstant, Text } from "../../http/schemas.ts";
import { type ShareLink, shows } from "./share-link.ts";

const FIELDS = {
  id: Id("share", "Id of the link."),
  domainCertificateGroupId: Id("group", "The group whose DNS records it shows."),
  domains: Type.Array(Type.String(), {
    description:
      "The names that it shows. Names that the group gets later are shown only after they are added to the link.",
    examples: [["www.example.com"]],
  }),
  createdBy: Id("user", "The user who created it."),
  createdAt: CreatedAt(),
  expiresAt: Instant("When it expires.", "2026-11-27T09:30:12.000Z"),
  openedAt: NullableInstant(
    "When it was opened for the first time, by a person or by a program that previews links; null before that.",
    null,
  ),
};

export const ShareLinkSchema = Type.Object(FIELDS, {
  title: "ShareLink",
  description: "A page without sign-in that shows the DNS records of domains of a group.",
});

export const NewShareLinkSchema = Type.Object(
  {
    ...FIELDS,
    url: Text(
      "The address of the page. It is shown only once. Anyone with the link can open the page until it expires.",
      "https://slipway.acme.example/share/3rF9wQzT0bLk7Yc2HnXs5VdPj8M",
    ),
  },
  { title: "NewShareLink", description: "A share link with its address." },
);

/** @param members the domains of its group */
export function viewShareLink(link: ShareLink, members: readonly Domain[]) {
  const { id, groupId, createdBy, createdAt, expiresAt, openedAt } = link;
  return {
    id,
    domainCertificateGroupId: groupId,
    domains: members.filter((domain) => domain.isDesired && shows(link, domain)).map(({ name }) => name),
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    openedAt: openedAt?.toISOString() ?? null,
  };
}
