/** A new domain group of a service. */
import { useNavigate, useParams } from "@tanstack/react-router";
import { slipway } from "../api/client.ts";
import { readDomainNames, tellNameFault } from "../api/domain-names.ts";
import { useCan } from "../api/permissions.ts";
import { read, readAll, useRead } from "../api/query.ts";
import { FormBox, useForm } from "../components/form.tsx";
import { Link } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { paths } from "../paths.ts";
import { CheckField, SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Fine } from "../ui/layout.tsx";
import { toast } from "../ui/toast.tsx";

export function NewDomainsForm() {
  const { serviceId } = useParams({ from: "/shell/services/$serviceId/domains/new" });
  const service = useRead(read("services", "get", serviceId));
  const project = useRead(read("projects", "get", service.projectId));
  const environment = useRead(read("environments", "get", service.environmentId));
  const groups = useRead(readAll("domainGroups", "list", serviceId, {}));
  const { reason } = useCan("manage domains", { projectId: project.id, environmentId: environment.id });
  const navigate = useNavigate();
  // Only one group can be on the service's own distribution.
  const ownGroup = groups.domainCertificateGroups.find(({ isDefaultCdn }) => isDefaultCdn);
  const form = useForm({
    initial: { domains: "", name: "", autoDns: false, distribution: ownGroup === undefined ? "own" : "new" },
    submit: ({ domains, name, autoDns, distribution }) =>
      slipway.domainGroups.create(serviceId, {
        domains: readDomainNames(domains),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        useDefaultCdn: distribution === "own",
        autoDns,
      }),
    tell: (fault, { domains }) => tellNameFault(fault, domains),
    refreshes: ["domainGroups", "domains", "overview"],
    onDone: async ({ id }) => {
      toast("The certificate is being requested.");
      await navigate({ to: paths.group(id) });
    },
  });
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
        onCancel={() => void navigate({ to: paths.serviceDomains(serviceId) })}
      >
        <TextArea
          label="Domain names"
          placeholder={"www.example.com\nexample.com"}
          hint="One a line, or pasted with commas. They share one certificate."
          {...form.field("domains")}
        />
        <Fine>
          <Link to={paths.importDomains(serviceId)}>Import a list</Link> of up to 10,000 names instead, which
          are placed into groups.
        </Fine>
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
            They get a new, separate distribution, because the service's own has the group {ownGroup.name}. To
            share its certificate, add them there.
          </Fine>
        )}
      </FormBox>
    </Page>
  );
}
