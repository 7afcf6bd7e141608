import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { WebhookEndpoint, WebhookSecret } from "../../../sdk/src/generated/types.ts";
import { slipway } from "../api/client.ts";
import { tellTypes } from "../api/event-words.ts";
import { useCan } from "../api/permissions.ts";
import { read, useRead } from "../api/query.ts";
import { reasonAgainstSending, tellHealth } from "../api/webhook-rules.ts";
import { ActionButton, ConfirmButton } from "../components/confirm.tsx";
import { Link, LinkButton } from "../components/link.tsx";
import { Page } from "../components/page.tsx";
import { Notice } from "../components/problem.tsx";
import { SecretOnce } from "../components/secret-once.tsx";
import { Status } from "../components/status.tsx";
import { useFollow } from "../live/use-live.tsx";
import { paths } from "../paths.ts";
import { Facts, Row, Section, Stack } from "../ui/layout.tsx";
import { When } from "../ui/time.tsx";
import { Deliveries } from "./webhook-deliveries.tsx";
import { ReplayButton } from "./webhook-replay.tsx";

/** One webhook: how it is, what it was sent, and its secret. */
export function WebhookPage() {
  const { endpointId } = useParams({ from: "/shell/webhooks/$endpointId" });
  const reading = read("webhookEndpoints", "get", endpointId);
  const endpoint = useRead(reading);
  const { reason } = useCan("manage webhooks");
  useFollow(reading, (options) => slipway.webhookEndpoints.watch(endpointId, options));
  const health = tellHealth(endpoint);
  return (
    <Page
      title={endpoint.description === "" ? endpoint.url : endpoint.description}
      crumbs={[["Webhooks", paths.webhooks()]]}
      beside={<Status of={endpoint.status} />}
      actions={
        <>
          <ActionButton
            label="Send a test"
            look="primary"
            disabledReason={reason ?? reasonAgainstSending(endpoint)}
            work={() => slipway.webhookEndpoints.ping(endpointId)}
            refreshes={["webhookEndpoints"]}
            said="A test is on its way."
          />
          <LinkButton to={paths.editWebhook(endpointId)}>Change</LinkButton>
          <EnableButton endpoint={endpoint} reason={reason} />
        </>
      }
    >
      <Stack>
        {health === null ? null : (
          <Notice title={health} isBad={endpoint.status === "FAILING"}>
            {endpoint.failingSince === null ? null : (
              <p>
                The first failure was <When at={endpoint.failingSince} />.
              </p>
            )}
          </Notice>
        )}
        <EndpointFacts endpoint={endpoint} />
      </Stack>
      <Section title="Deliveries" actions={<ReplayButton endpoint={endpoint} reason={reason} />}>
        <Deliveries endpointId={endpointId} />
      </Section>
      <Secret endpoint={endpoint} reason={reason} />
      <Section title="Delete">
        <Row>
          <DeleteButton endpoint={endpoint} reason={reason} />
        </Row>
      </Section>
    </Page>
  );
}

function EndpointFacts({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { url, types, projectId, headerNames, maxPerSecond, createdAt, isReplaying } = endpoint;
  return (
    <Facts
      of={[
        ["Address", <code>{url}</code>],
        ["Events", tellTypes(types)],
        ["Project", projectId === null ? "All" : <Link to={paths.project(projectId)}>One project</Link>],
        ["Headers", headerNames.length === 0 ? null : headerNames.join(", ")],
        ["At most", maxPerSecond === null ? null : `${maxPerSecond} a second`],
        ["Replay", isReplaying ? "Running" : null],
        ["Added", <When at={createdAt} />],
      ]}
    />
  );
}

type Part = { readonly endpoint: WebhookEndpoint; readonly reason: string | null };

function EnableButton({ endpoint: { id, status }, reason }: Part) {
  const common = { disabledReason: reason, refreshes: ["webhookEndpoints"] } as const;
  return status === "DISABLED" ? (
    <ActionButton
      {...common}
      label="Enable"
      work={() => slipway.webhookEndpoints.enable(id, {})}
      said="Enabled. It gets what happened meanwhile, as far as that is kept."
    />
  ) : (
    <ConfirmButton
      {...common}
      label="Disable"
      look="normal"
      title="Disable this webhook?"
      consequences={["It gets nothing until it is enabled. What happens meanwhile is kept for 30 days."]}
      action="Disable"
      work={() => slipway.webhookEndpoints.disable(id)}
    />
  );
}

function Secret({ endpoint, reason }: Part) {
  const [secret, setSecret] = useState<WebhookSecret | null>(null);
  const { id, previousSecretUntil } = endpoint;
  return (
    <Section title="Secret">
      <p>
        Deliveries are signed with it, so that the receiver knows that they are from Slipway.
        {previousSecretUntil === null ? null : (
          <>
            {" "}
            The secret before signs too; it ends <When at={previousSecretUntil} />.
          </>
        )}
      </p>
      <Row>
        <ConfirmButton
          label="Replace the secret"
          look="normal"
          disabledReason={reason}
          title="Replace the secret?"
          consequences={[
            "A new secret is shown once.",
            "The present one signs too for 24 hours, so that the receiver can change in between.",
          ]}
          action="Replace it"
          work={() => slipway.webhookEndpoints.rotateSecret(id, {})}
          refreshes={["webhookEndpoints"]}
          onDone={setSecret}
        />
        {previousSecretUntil === null ? null : (
          <ConfirmButton
            label="End the secret before now"
            disabledReason={reason}
            title="End the secret before now?"
            consequences={["A receiver that knows only that one refuses what it gets from now on."]}
            action="End it"
            work={() => slipway.webhookEndpoints.revokePreviousSecret(id)}
            refreshes={["webhookEndpoints"]}
          />
        )}
      </Row>
      {secret === null ? null : (
        <SecretOnce
          title="The new secret"
          what="the secret"
          secret={secret.secret}
          onDone={() => setSecret(null)}
        >
          <p>Give it to the receiver.</p>
        </SecretOnce>
      )}
    </Section>
  );
}

function DeleteButton({ endpoint: { id, url }, reason }: Part) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete the webhook"
      disabledReason={reason}
      title="Delete this webhook?"
      consequences={[`${url} gets nothing any more.`, "The log of its deliveries is deleted."]}
      action="Delete webhook"
      work={() => slipway.webhookEndpoints.delete(id)}
      refreshes={["webhookEndpoints"]}
      onDone={() => navigate({ to: paths.webhooks() })}
    />
  );
}
