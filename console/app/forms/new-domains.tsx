/** Domains for a service, in a new group or in an existing one. */
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { slipway } from "../api/client.ts";
import { readDomainNames, tellNameFault } from "../api/domain-names.ts";
import { DOMAIN_REFRESHES } from "../api/domain-selection.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Fine } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";
import { NAMES_MAX, NamesPreview } from "./names-preview.tsx";

type Values = {
  readonly domains: string;
  /** The id of a group; empty for a new one. */
  readonly group: string;
  readonly name: string;
  readonly autoDns: boolean;
  readonly distribution: string;
};

export function NewDomainsForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/domains/new" });
  const { group: chosen } = useSearch({ from: "/shell/services/$serviceId/domains/new" });
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const { domainCertificateGroups: groups } = useRead(readAll("domainGroups", "list", serviceId, {}));
  const { reason } = useCan("manage domains", { projectId: project.id, environmentId: environment.id });
  const navigate = useNavigate();
  // Only one group can be on the service's own distribution.
  const ownGroup = groups.find(({ isDefaultCdn }) => isDefaultCdn);
  const form = useForm({
    initial: {
      domains: "",
      group: groups.some(({ id }) => id === chosen) ? (chosen ?? "") : "",
      name: "",
      autoDns: false,
      distribution: ownGroup === undefined ? "own" : "new",
    },
    submit: (values: Values) => send(serviceId, values),
    tell: (fault, { domains }) => tellNameFault(fault, domains),
    refreshes: DOMAIN_REFRESHES,
    onDone: async (groupId, { group, domains }) => {
      const count = readDomainNames(domains).length;
      toast(
        group === ""
          ? "The certificate is being requested."
          : `${count === 1 ? "1 domain is" : `${count} domains are`} added.`,
      );
      await navigate({ to: paths.group(groupId) });
    },
  });
  const { domains, group } = form.values;
  const count = readDomainNames(domains).length;
  return (
    <Page
      title="Add domains"
      crumbs={[
        ["Projects", paths.projects()],
        [project.name, paths.project(project.id)],
        [environment.name, paths.environment(environment.id)],
        [service.name, paths.serviceDomains(serviceId)],
      ]}
      lead={`Names that lead visitors to ${service.name}. The next page says which DNS records to set.`}
    >
      <FormBox
        form={form}
        action="Add domains"
        refusal={reason}
        disabledReason={
          count > NAMES_MAX ? `These are ${count} names. Import more than ${NAMES_MAX} as a list.` : null
        }
        onCancel={() =>
          void navigate({ to: group === "" ? paths.serviceDomains(serviceId) : paths.group(group) })
        }
      >
        <TextArea
          label="Domain names"
          rows={4}
          placeholder={"www.example.com\nexample.com"}
          hint="One a line, or pasted with commas. They share one certificate."
          {...form.field("domains")}
        />
        {reason === null ? <NamesPreview serviceId={serviceId} text={domains} /> : null}
        <Fine>
          <Link to={paths.importDomains(serviceId)}>Import a list</Link> of up to 10,000 names instead, which
          are placed into groups.
        </Fine>
        {groups.length === 0 ? null : (
          <SelectField
            label="Group"
            hint="Names of a group share a certificate, which is issued again with all of them. Served names stay served."
            options={[["", "A new group"], ...groups.map(({ id, name }) => [id, name] as const)]}
            {...form.field("group")}
          />
        )}
        {group === "" ? (
          <>
            <TextField
              label="Name of the group"
              isOptional
              hint="The first domain, if you leave it empty."
              {...form.field("name")}
            />
            <CheckField
              label="Let Slipway set the DNS records"
              hint="Where the DNS zone is in the connected account, and its owner lets Slipway use it. Otherwise you set them."
              {...form.field("autoDns")}
            />
            {ownGroup === undefined ? (
              <SelectField
                label="Distribution"
                hint="A separate one keeps these names apart, for example those of one of your customers."
                options={[
                  ["own", "The service's own"],
                  ["new", "A new, separate one"],
                ]}
                {...form.field("distribution", "/useDefaultCdn")}
              />
            ) : (
              <Fine>
                They get a new, separate distribution, because the service's own has the group {ownGroup.name}
                . To share its certificate, choose it above.
              </Fine>
            )}
          </>
        ) : null}
      </FormBox>
    </Page>
  );
}

/** @returns the id of the group that has them */
async function send(
  serviceId: string,
  { domains, group, name, autoDns, distribution }: Values,
): Promise<string> {
  const names = readDomainNames(domains);
  if (group !== "") {
    await slipway.domainGroups.addDomains(group, { domains: names });
    return group;
  }
  const created = await slipway.domainGroups.create(serviceId, {
    domains: names,
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    useDefaultCdn: distribution === "own",
    autoDns,
  });
  return created.id;
}
