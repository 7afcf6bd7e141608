import { Type } from "typebox";
import { declareEvents } from "../events/event.ts";

const LinkData = Type.Object({
  name: Type.String({ description: "The group's name.", examples: ["www.example.com"] }),
  shareLinkId: Type.String({ description: "The link.", examples: ["share_01kahz8m2r6u0y4c8e1g5j9n3q"] }),
  expiresAt: Type.String({
    format: "date-time",
    description: "When it expires.",
    examples: ["2026-11-27T09:30:12.000Z"],
  }),
});

export const SHARE_EVENTS = declareEvents({
  "domain_group.share_link_created": {
    subject: "domain_group",
    description:
      "A share link was created, which shows the group's DNS records to people without an account.",
    data: LinkData,
  },
  "domain_group.share_link_opened": {
    subject: "domain_group",
    description:
      "A share link was opened for the first time, by a person or by a program that previews links.",
    data: LinkData,
  },
  "domain_group.share_link_updated": {
    subject: "domain_group",
    description: "The domains that a share link shows were changed.",
    data: LinkData,
  },
  "domain_group.share_link_revoked": {
    subject: "domain_group",
    description: "A share link was revoked before it expired.",
    data: LinkData,
  },
});
