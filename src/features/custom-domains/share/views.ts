import { Type } from "typebox";
import { CreatedAt, Id, Instant, NullableInstant, Text } from "../../../http/schemas.ts";
import type { ShareLink } from "./share-link.ts";

const FIELDS = {
  id: Id("share", "Id of the link."),
  domainCertificateGroupId: Id("group", "The group whose DNS records it shows."),
  createdBy: Id("user", "Who created it."),
  createdAt: CreatedAt(),
  expiresAt: Instant("When it ends.", "2026-11-27T09:30:12.000Z"),
  openedAt: NullableInstant(
    "When it was opened for the first time, by a person or by a program that previews links; null before that.",
    null,
  ),
};

export const ShareLinkSchema = Type.Object(FIELDS, {
  title: "ShareLink",
  description: "A page without sign-in that shows the DNS records of a group's domains.",
});

export const NewShareLinkSchema = Type.Object(
  {
    ...FIELDS,
    url: Text(
      "The page's address, which is shown only now: Slipway keeps a hash of it. Whoever has it sees the page.",
      "https://slipway.acme.example/share/3rF9wQzT0bLk7Yc2HnXs5VdPj8M",
    ),
  },
  { title: "NewShareLink", description: "A share link with its address." },
);

export function viewShareLink({ id, groupId, createdBy, createdAt, expiresAt, openedAt }: ShareLink) {
  return {
    id,
    domainCertificateGroupId: groupId,
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    openedAt: openedAt?.toISOString() ?? null,
  };
}
