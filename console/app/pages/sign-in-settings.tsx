import type { GroupRule, OidcProvider } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { isForbidden } from "../api/problem.ts";
import { read, useLater } from "../api/query.ts";
import { ActionButton } from "../components/confirm.tsx";
import { Problem } from "../components/problem.tsx";
import { Copyable } from "../ui/copy.tsx";
import { Badge, Between, Card, Empty, Facts, Section, Skeleton, Stack } from "../ui/layout.tsx";

/** The identity providers, and whether each can be used. Only for admins of the operator's organization. */
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
            said="Each was asked again."
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
        <Empty title="No identity provider.">
          People sign in with API keys. The operator adds a provider with <code>SLIPWAY_OIDC_…</code>, so that
          they sign in where your organization does.
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
          ["Asks for", scopes],
          ["Claim of the groups", groupsClaim],
          ["Who gets which role", rules.map(tellRule).join("; ") || "none"],
          ["Users with the same verified address", linksByEmail ? "are taken over" : "stay apart"],
        ]}
      />
    </Card>
  );
}

function tellRule({ group, role }: GroupRule): string {
  return `${group === "*" ? "everyone" : group}: ${role}`;
}
