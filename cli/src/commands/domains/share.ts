import { findDomain } from "../../find/domain.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import type { Handler } from "../../table/command.ts";

/** By a domain, because people know its name; the link is of its group. */
export const shareDomain: Handler = async (context, input) => {
  const client = await context.client();
  const { domainCertificateGroupId: groupId } = await findDomain(context, input.argument("DOMAIN"));
  const days = input.number("days");
  const link = await client.domainGroups.createShareLink(
    groupId,
    days === undefined ? {} : { expiresInDays: days },
    { signal: context.signal },
  );
  context.output.progress("Send the address to whoever sets the records. It is shown only this once.");
  context.output.item(link, [
    ["address", link.url],
    ["id", link.id],
    ["ends", link.expiresAt],
  ]);
};

export const listShares: Handler = async (context, input) => {
  const client = await context.client();
  const { domainCertificateGroupId: groupId } = await findDomain(context, input.argument("DOMAIN"));
  const found = client.domainGroups.listShareLinks(groupId, { limit: PAGE });
  context.output.list(await takeLimited(input, context.output, found), [
    { title: "id", of: ({ id }) => id },
    { title: "created", of: ({ createdAt }) => createdAt },
    { title: "first opened", of: ({ openedAt }) => openedAt },
    { title: "ends", of: ({ expiresAt }) => expiresAt },
  ]);
};

export const unshareDomain: Handler = async (context, input) => {
  const client = await context.client();
  const domain = await findDomain(context, input.argument("DOMAIN"));
  const id = input.argument("SHARE_ID");
  await context.prompt.confirm(`Revoke the link ${id}? Its page shows nothing any more.`);
  await client.domainGroups.deleteShareLink(domain.domainCertificateGroupId, id, { signal: context.signal });
  context.output.item({ id, isDeleted: true }, [["revoked", id]]);
};
