import { findDomain } from "../../find/domain.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import type { Handler } from "../../table/command.ts";

/** By a domain, because people know its name; the link is of its group. */
export const shareDomain: Handler = async (context, input) => {
  const client = await context.client();
  const { signal } = context;
  const { domainCertificateGroupId: groupId, name } = await findDomain(context, input.argument("DOMAIN"));
  const linkId = input.text("link");
  if (linkId !== undefined) {
    const { domains } = await client.domainGroups.getShareLink(groupId, linkId, { signal });
    const shown = { domains: [...new Set([...domains, name])] };
    const changed = await client.domainGroups.updateShareLink(groupId, linkId, shown, { signal });
    context.output.item(changed, [
      ["id", changed.id],
      ["shows", changed.domains.join(", ")],
      ["ends", changed.expiresAt],
    ]);
    return;
  }
  const days = input.number("days");
  const link = await client.domainGroups.createShareLink(
    groupId,
    {
      ...(days === undefined ? {} : { expiresInDays: days }),
      ...(input.isSet("only") ? { domains: [name] } : {}),
    },
    { signal },
  );
  context.output.progress("Send the address to whoever sets the records. It is shown only this once.");
  context.output.item(link, [
    ["address", link.url],
    ["id", link.id],
    ["shows", link.domains.join(", ")],
    ["ends", link.expiresAt],
  ]);
};

export const listShares: Handler = async (context, input) => {
  const client = await context.client();
  const { domainCertificateGroupId: groupId } = await findDomain(context, input.argument("DOMAIN"));
  const found = client.domainGroups.listShareLinks(groupId, { limit: PAGE });
  context.output.list(await takeLimited(input, context.output, found), [
    { title: "id", of: ({ id }) => id },
    { title: "shows", of: ({ domains }) => domains.join(", ") },
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
