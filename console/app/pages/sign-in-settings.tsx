import type { GroupRule, OidcProvider } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { isForbidden } from "../api/problem.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { DocsLink } from "../components/docs-link.tsx";
import { Problem } from "../components/problem.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Badge, Between, Card, Empty, Facts, Section, Skeleton, Stack } from "../ui/layout.tsx";

/** The identity providers and the result of a test of each. Only for admins of the operator's organization. */
export function SignInSettings() {
  const { data, error } = useLater(read("admin", "testSignInProviders"));
  // The section above already says that the user may not see the installation.
  if (error !== null && isForbidden(error)) return null;
  return (
    <Section
      title="Sign-in"
      actions={
        data === undefined || data.providers.length === 0 ? undefined : (
          <ActionButton
            label="Test again"
            work={() => slipway.admin.testSignInProviders()}
            said="Tested each provider."
            refreshes={["admin"]}
          />
        )
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={4} label="Loading the identity providers" />
        ) : (
          <Problem error={error} />
        )
      ) : data.providers.length === 0 ? (
        <Empty title="No identity provider">
          People sign in with API keys. The operator adds a provider by the setting{" "}
          <code>SLIPWAY_OIDC_…</code>, and people then sign in with their account there.{" "}
          <DocsLink chapter="Sign-in" />
        </Empty>
      ) : (
        <Stack>
          {data.providers.map((provider) => (
            <Provider key={provider.name} provider={provider} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function Provider({ provider }: { readonly provider: OidcProvider }) {
  const { label, issuer, clientId, callbackUrl, scopes, groupsClaim, linksByEmail, rules, problem } =
    provider;
  return (
    <Card label={label}>
      <Between>
        <h3>{label}</h3>
        <Badge tone={problem === null ? "good" : "bad"}>{problem === null ? "Works" : "Does not work"}</Badge>
      </Between>
      {problem === null ? null : <p>{problem}</p>}
      <Facts
        of={[
          ["Issuer", issuer],
          ["Client id", clientId],
          ["Redirect URI", <Copyable text={callbackUrl} what="the redirect URI" />],
          ["Scopes", scopes],
          ["Claim with the groups", groupsClaim],
          ["Roles of groups", rules.map(formatRule).join("; ") || "none"],
          ["Existing user with the same verified address", linksByEmail ? "Is linked" : "Is not linked"],
        ]}
      />
    </Card>
  );
}

function formatRule({ group, role }: GroupRule): string {
  return `${group === "*" ? "everyone" : group}: ${role}`;
}
